import Dispatch
import Glibc
import Synchronization

/// Single key presses from a terminal, without waiting for Enter; the terminal is put back at the end.
final class TerminalKeys: Sendable {
    private struct Terminal {
        /// As it was, once it is set for single keys.
        var saved: termios?
        var isOver = false
    }

    private let terminal = Mutex(Terminal())
    private let source: Mutex<(any DispatchSourceRead)?>

    /// Nil where standard input is not a terminal.
    init?(_ handler: @escaping @Sendable (Character) -> Void) {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        nonisolated(unsafe) let made: any DispatchSourceRead = source
        source.setEventHandler {
            // In the background of the shell (&, bg): what is typed is the shell's, and reading would stop this process.
            guard Self.isInForeground else {
                made.suspend()
                return DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { made.resume() }
            }
            var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 { return Self.keys(in: bytes[..<count]).forEach(handler) }
            // A terminal that is gone stays readable for ever.
            if count == 0 || errno != EINTR && errno != EAGAIN { made.cancel() }
        }
        source.resume()
        self.source = Mutex(made)
        takeTerminal()
    }

    private static let pause = 1.0
    /// Read at once: more than a key ever sends.
    private static let mostBytes = 64
    private static let lineMode = tcflag_t(ICANON | ECHO)

    /// The keys in what was read at once. Those that send several bytes behind an escape (arrows, F1…F12, Alt with a letter) are
    /// none of ours, and what they consist of is none either: F2 sends a Q, F1 a P.
    static func keys(in bytes: ArraySlice<UInt8>) -> [Character] {
        var (rest, keys) = (bytes, [Character]())
        while let byte = rest.popFirst() {
            if byte == escape { skipSequence(&rest) } else { keys.append(Character(UnicodeScalar(byte))) }
        }
        return keys
    }

    private static let escape: UInt8 = 0x1B

    /// What stands behind an escape: with Alt the key itself; behind CSI, and behind SS3 with its modifiers, all up to a final
    /// byte (ECMA-48 § 5.4).
    private static func skipSequence(_ rest: inout ArraySlice<UInt8>) {
        // Alt with such a key.
        rest = rest.drop { $0 == escape }
        guard let begin = rest.popFirst(), begin == UInt8(ascii: "[") || begin == UInt8(ascii: "O") else { return }
        // The Linux console's F1…F5 have it twice.
        if rest.first == UInt8(ascii: "[") { rest.removeFirst() }
        while let byte = rest.popFirst(), !(0x40...0x7E).contains(byte) {}
    }

    /// A terminal that is not the controlling one has no foreground group (-1): nobody else reads it.
    static var isInForeground: Bool {
        let foreground = tcgetpgrp(STDIN_FILENO)
        return foreground < 0 || foreground == getpgrp()
    }

    /// Sets the terminal for single keys where it is ours and is not set so: at the beginning, and again after a shell had
    /// it, which leaves it in line mode. A job that went on in the background is not told when it comes to the front: ask
    /// now and then.
    func takeTerminal() {
        terminal.withLock { terminal in
            var settings = termios()
            guard !terminal.isOver, Self.isInForeground, tcgetattr(STDIN_FILENO, &settings) == 0,
                settings.c_lflag & Self.lineMode != 0
            else { return }
            terminal.saved = settings
            settings.c_lflag &= ~Self.lineMode
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    func restore() {
        source.withLock { source in
            source?.cancel()
            source = nil
        }
        terminal.withLock { terminal in
            terminal.isOver = true
            Self.putBack(terminal)
        }
    }

    /// Stops the process, as Ctrl-Z asks; not every shell puts the terminal back itself (dash). It is taken again by
    /// `takeTerminal`.
    func suspend() {
        terminal.withLock { terminal in
            Self.putBack(terminal)
            Signals.stop()
        }
    }

    private static func putBack(_ terminal: Terminal) {
        // Whose it is by then has set it as it likes, and to set it would stop this process.
        guard isInForeground, var settings = terminal.saved else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
