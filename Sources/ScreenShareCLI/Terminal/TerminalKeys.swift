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
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 1 { return handler(Character(UnicodeScalar(byte))) }
            // A terminal that is gone stays readable for ever.
            if count == 0 || errno != EINTR && errno != EAGAIN { made.cancel() }
        }
        source.resume()
        self.source = Mutex(made)
        takeTerminal()
    }

    private static let pause = 1.0
    private static let lineMode = tcflag_t(ICANON | ECHO)

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
            // Whose it is by then has set it as it likes, and to set it would stop this process.
            guard Self.isInForeground, var settings = terminal.saved else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }
}
