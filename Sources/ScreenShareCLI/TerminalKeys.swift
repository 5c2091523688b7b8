import Dispatch
import Glibc
import Synchronization

/// Single key presses from a terminal, without waiting for Enter; the terminal is put back at the end.
final class TerminalKeys: Sendable {
    private let saved: termios
    private let source: Mutex<(any DispatchSourceRead)?>

    /// Nil where standard input is not a terminal, or this process is in the background of its shell.
    init?(_ handler: @escaping @Sendable (Character) -> Void) {
        guard isatty(STDIN_FILENO) == 1, Self.isInForeground else { return nil }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        saved = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        nonisolated(unsafe) let made: any DispatchSourceRead = source
        source.setEventHandler {
            // Moved to the background since (bg): what is typed is the shell's, and reading would stop this process.
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
    }

    private static let pause = 1.0

    /// A terminal that is not the controlling one has no foreground group (-1): nobody else reads it.
    private static var isInForeground: Bool {
        let foreground = tcgetpgrp(STDIN_FILENO)
        return foreground < 0 || foreground == getpgrp()
    }

    func restore() {
        source.withLock { source in
            source?.cancel()
            source = nil
        }
        // Whose it is by then has set it as it likes, and to set it would stop this process.
        guard Self.isInForeground else { return }
        var settings = saved
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
