import SystemClock

/// What this process may still open.
enum OpenFiles {
    /// What a session may take: its event loop three and its threads one each, the loops of its requests nine, the rest
    /// sockets and devices, which say themselves where there is nothing left.
    private static let ofSession = 32

    /// Asked first of all: an event loop, and a thread's `Wakeup`, that finds no file descriptor ends the process, and with
    /// it all else that an embedder does there.
    ///
    /// - Throws: `.network`, with what to do about it.
    static func check() throws(ShareError) {
        let opened = (0..<ofSession).compactMap { _ in Wakeup(orNil: ()) }
        guard opened.count == ofSession else {
            throw .network(
                "this process may open fewer than \(ofSession) more files, and a session may need as many: raise its limit "
                    + "(ulimit -n)")
        }
    }
}
