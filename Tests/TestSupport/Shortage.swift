import Glibc
import Synchronization

/// Takes from the process what a system may be short of. For processes of their own: nothing else can be done there.
///
/// What was taken is put back as the process exits: LeakSanitizer, which looks then, needs it.
package enum Shortage {
    private struct Limit {
        let resource: __rlimit_resource_t
        let before: rlimit
    }

    private static let lowered = Mutex<[Limit]>([])

    /// It may start no more threads.
    package static func ofThreads() {
        // The limit is not for root.
        if getuid() == 0 { _ = setuid(65_534) }
        lower(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), to: 0)
    }

    /// - Parameter spare: how many files it may still open.
    package static func ofFiles(butFor spare: Int = 0) {
        lower(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), to: 64)
        let spares = (0..<spare).map { _ in dup(1) }
        while dup(1) >= 0 {}
        spares.forEach { close($0) }
    }

    private static func lower(_ resource: __rlimit_resource_t, to count: rlim_t) {
        var limit = rlimit()
        getrlimit(resource, &limit)
        let before = limit
        // The hard limit, once lowered, could not be put back.
        limit.rlim_cur = min(count, limit.rlim_max)
        guard setrlimit(resource, &limit) == 0 else { preconditionFailure("the limit can't be lowered") }
        lowered.withLock { $0.append(Limit(resource: resource, before: before)) }
        // Those registered later run earlier: the sanitizer's is there since the process began.
        atexit { Shortage.putBack() }
    }

    private static func putBack() {
        for limit in lowered.withLock({ $0 }) {
            var before = limit.before
            setrlimit(limit.resource, &before)
        }
    }
}
