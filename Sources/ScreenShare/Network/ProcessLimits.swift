import SystemClock

/// What this process may still open and start.
enum ProcessLimits {
    /// What a session may take: its event loop three and its threads one each, the loops of its requests nine, the rest
    /// sockets and devices, which say themselves where there is nothing left.
    private static let files = 32
    /// Its event loop, its pictures, its sound, the three loops of its requests, a display and a device that are opened.
    private static let threads = 8
    /// The loops of requests, and a connection of each.
    private static let requestFiles = 12
    private static let requestThreads = 3

    /// Where others have taken what was there when it was asked for.
    static let noThread = "this process may start no more threads"

    /// Asked first of all: an event loop that finds no file descriptor or no thread ends the process, and with it all else
    /// that an embedder does there.
    ///
    /// - Throws: `.network`, with what to do about it.
    static func check() throws(ShareError) {
        try check(files: files, threads: threads)
    }

    /// The same before a request that may be the process's first.
    static func checkRequests() throws(ShareError) {
        try check(files: requestFiles, threads: requestThreads)
    }

    private static func check(files: Int, threads: Int) throws(ShareError) {
        guard canOpen(files) else {
            throw .network(
                "this process may open fewer than \(files) more files, and a session may need as many: raise its limit "
                    + "(ulimit -n)")
        }
        guard BlockingThread.hasRoom(for: threads) else {
            throw .network(
                "this process may start fewer than \(threads) more threads, and a session may need as many: raise its limit "
                    + "(ulimit -u), or that of its container or service (pids.max, TasksMax)")
        }
    }

    /// For one of a session's threads.
    static func makeWakeup() throws(ShareError) -> Wakeup {
        guard let wakeup = Wakeup() else { throw .network("this process may open no more files") }
        return wakeup
    }

    private static func canOpen(_ count: Int) -> Bool {
        (0..<count).compactMap { _ in Wakeup() }.count == count
    }
}
