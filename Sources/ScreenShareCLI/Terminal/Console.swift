import Glibc
import Synchronization

/// Everything for a person goes to standard error; on a terminal that can do so one status line is updated in place.
///
/// Whoever reads it may be slow, or stop: what has no room is left out after a short wait, and nobody is kept from quitting.
enum Console {
    private struct State {
        var status = ""
        var log = StatusLog()
        var output = ConsoleOutput(STDERR_FILENO)
    }

    /// Until a line counts as not to be read.
    private static let patience: Int32 = 200

    private static let state = Mutex(State())
    /// One whose line can be taken back: a dumb one (terminfo(5)), as Emacs' shell has it, shows the codes for that.
    static let isTerminal = isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"

    /// A line of its own, above the status line.
    static func line(_ text: String) {
        state.withLock { state in
            state.output.write(clear(state) + printable(text) + "\n" + state.status, patience: patience)
        }
    }

    static func error(_ text: String) { line(text) }

    /// Replaces the status line on a terminal; elsewhere a plain line, which is left out where it would only fill a log.
    static func status(_ text: String) {
        state.withLock { state in
            guard isTerminal else {
                if state.log.takes(text, at: .now) { state.output.write(printable(text) + "\n") }
                return
            }
            let width = terminalWidth()
            let cut = String(printable(text).prefix(max(10, width - 1)))
            state.output.write(clear(state) + cut)
            state.status = cut
        }
    }

    /// Leaves the last status line standing and goes on below it.
    static func endStatus() {
        state.withLock { state in
            if !state.status.isEmpty { state.output.write("\n") }
            state.status = ""
        }
    }

    /// Takes the status line away.
    static func clearStatus() {
        state.withLock { state in
            state.output.write(clear(state))
            state.status = ""
        }
    }

    private static func clear(_ state: State) -> String { state.status.isEmpty ? "" : "\r\u{1B}[K" }

    private static func terminalWidth() -> Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Of one line. Window titles, names and servers' words are others': what would steer a terminal, begin a line that looks
    /// like one of ours, or turn around what stands behind it (UAX #9's embeddings, overrides and isolates), is replaced.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar {
            case "\t": scalar
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": "\u{FFFD}"
            default: scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
