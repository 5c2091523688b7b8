import CLinux

/// How a thread stands beside others.
package enum ThreadPriority: Hashable, Sendable {
    /// SCHED_RR with the least of its priorities: ahead of all that is not real-time.
    case realTime
    /// A nice value below zero: more of the processor than others where there is too little.
    case nice(Int)
    /// As it was started.
    case ordinary

    /// Puts the calling thread, and none that it starts, as far ahead of others as the process may (RLIMIT_RTPRIO,
    /// RLIMIT_NICE, CAP_SYS_NICE). What was given another policy, or a nice value, is left as it is.
    package static func raise() -> ThreadPriority {
        switch linux_raise_thread(leastNice) {
        case 1: .realTime
        case let value where value < 0: .nice(Int(value))
        default: .ordinary
        }
    }

    /// The calling thread, which was raised, is one among others again.
    package static func lower() { linux_lower_thread() }

    /// Where sound servers have theirs (PulseAudio's `nice-level`, PipeWire's `nice.level`).
    private static let leastNice: Int32 = -11
}
