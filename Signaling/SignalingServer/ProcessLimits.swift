import Glibc

/// What the process may still open and start: an event loop that finds no file descriptor or no thread ends it, and with it
/// all else that an embedder does there.
enum ProcessLimits {
    /// Of an event loop three, a listener, and a few connections.
    private static let files = 8

    /// What keeps a server from running, with what to do about it; nil where nothing does.
    static var lack: String? {
        guard canOpen(files) else {
            return "this process may open fewer than \(files) more files: raise its limit (ulimit -n)"
        }
        guard canStartThread else {
            return "this process may start no more threads: raise its limit (ulimit -u), or that of its container or service"
        }
        return nil
    }

    private static func canOpen(_ count: Int) -> Bool {
        let descriptors = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
        return descriptors.allSatisfy { $0 >= 0 }
    }

    private static var canStartThread: Bool {
        var thread = pthread_t()
        guard pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return false }
        pthread_join(thread, nil)
        return true
    }
}
