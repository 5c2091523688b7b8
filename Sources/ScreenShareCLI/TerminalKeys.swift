import Dispatch
import Glibc
import Synchronization

/// Single key presses from a terminal, without waiting for Enter; the terminal is put back at the end.
final class TerminalKeys: Sendable {
    private let saved: termios
    private let source: Mutex<(any DispatchSourceRead)?>

    /// Nil where standard input is not a terminal, or this process is in the background of its shell.
    init?(_ handler: @escaping @Sendable (Character) -> Void) {
        // A terminal that is not the controlling one has no foreground group (-1): nobody else reads it.
        let foreground = tcgetpgrp(STDIN_FILENO)
        guard isatty(STDIN_FILENO) == 1, foreground < 0 || foreground == getpgrp() else { return nil }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        saved = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        source.setEventHandler {
            var byte: UInt8 = 0
            if read(STDIN_FILENO, &byte, 1) == 1 { handler(Character(UnicodeScalar(byte))) }
        }
        source.resume()
        nonisolated(unsafe) let made: any DispatchSourceRead = source
        self.source = Mutex(made)
    }

    func restore() {
        source.withLock { source in
            source?.cancel()
            source = nil
        }
        var settings = saved
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
