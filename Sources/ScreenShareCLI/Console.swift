import Glibc
import Synchronization

/// Everything for a person goes to standard error; on a terminal one status line is updated in place.
enum Console {
    private struct State {
        var status = ""
    }

    private static let state = Mutex(State())
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// A line of its own, above the status line.
    static func line(_ text: String) {
        state.withLock { state in
            write(clear(state) + text + "\n" + state.status)
        }
    }

    static func error(_ text: String) { line(text) }

    /// Replaces the status line on a terminal; elsewhere a plain line.
    static func status(_ text: String) {
        guard isTerminal else { return line(text) }
        state.withLock { state in
            let width = terminalWidth()
            let cut = String(text.prefix(max(10, width - 1)))
            write(clear(state) + cut)
            state.status = cut
        }
    }

    /// Leaves the last status line standing and goes on below it.
    static func endStatus() {
        state.withLock { state in
            if !state.status.isEmpty { write("\n") }
            state.status = ""
        }
    }

    /// Takes the status line away.
    static func clearStatus() {
        state.withLock { state in
            write(clear(state))
            state.status = ""
        }
    }

    private static func clear(_ state: State) -> String { state.status.isEmpty ? "" : "\r\u{1B}[K" }

    private static func terminalWidth() -> Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(STDERR_FILENO, base, rest.count)
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
