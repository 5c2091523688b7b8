import CLinux
import Glibc

/// A thread for one blocking line of work; the cooperative pool must never block.
package enum BlockingThread {
    /// - Parameter name: at most 15 bytes are kept (pthread_setname_np(3)).
    /// - Returns: false where the system has no thread left (RLIMIT_NPROC, a container's limit), which may pass.
    package static func startIfPossible(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = create(name: name, body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Whether this many more threads could be started now. That many are for a moment; they have ended when it returns.
    package static func hasRoom(for count: Int) -> Bool {
        guard let end = Wakeup() else { return false }
        var threads: [pthread_t] = []
        while threads.count < count, let thread = create(name: "room", { end.wait(atMost: .seconds(10)) }) {
            threads.append(thread)
        }
        end.fire()
        for thread in threads { pthread_join(thread, nil) }
        return threads.count == count
    }

    /// To be joined or detached; nil where the system has no thread left.
    private static func create(name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
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
        guard result == 0 else {
            work.release()
            return nil
        }
        return thread
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
