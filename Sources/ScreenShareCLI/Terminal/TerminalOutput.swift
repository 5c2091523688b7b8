import Glibc

/// Writing to a terminal that perhaps nobody reads, as behind a connection that is dead.
enum TerminalOutput {
    /// The same terminal once more, as a descriptor of one's own on which nothing waits; nil for what is none, or where that
    /// can't be.
    ///
    /// A terminal may have room for a part of a line, and may be stopped at any time (Ctrl-S): whoever writes all of it waits
    /// there for a reader, however much poll(2) has said. Where others have it open too, that stays as they have it.
    static func opened(anew descriptor: Int32) -> Int32? {
        guard isatty(descriptor) == 1 else { return nil }
        let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        return own < 0 ? nil : own
    }
}
