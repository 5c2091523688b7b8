import CLinux
import Glibc

/// A thread for one blocking line of work; the cooperative pool must never block.
package enum BlockingThread {
    /// For what there is no going on without: where the system has no thread left, the process ends.
    ///
    /// - Parameter name: at most 15 bytes are kept (pthread_setname_np(3)).
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let isStarted = startIfPossible(name: name, body)
        precondition(isStarted, "the system has no thread left")
    }

    /// - Parameter name: at most 15 bytes are kept.
    /// - Returns: false where the system has no thread left (RLIMIT_NPROC, a container's limit), which may pass.
    package static func startIfPossible(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // Twice what the encoder needs; the system's 8 MB are only address space, but count against limits.
        pthread_attr_setstacksize(&attributes, 1 << 20)
        let result = pthread_create(&thread, &attributes, { argument in
            guard let argument else { return nil }
            let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
            linux_name_thread(String(work.name.prefix(15)))
            work.body()
            return nil
        }, work.toOpaque())
        pthread_attr_destroy(&attributes)
        if result != 0 { work.release() }
        return result == 0
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
