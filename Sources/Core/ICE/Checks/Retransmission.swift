import Timebase

/// When a request is sent again and when it is given up (RFC 8489 § 6.2.1): at 0, 1, 3, 7, 15, 31 and 63 RTO, and
/// 16 RTO after the last; closer where there is a longest interval.
struct Retransmission {
    enum Step: Hashable {
        case sendAgain
        case giveUp
    }

    private(set) var due: Instant
    private(set) var sent = 1
    private let timeout: Duration
    private var interval: Duration
    private let count: Int
    private let isRepeated: Bool
    private let longest: Duration?

    /// - Parameters:
    ///   - longest: repetitions get no further apart than this, and the last has as long.
    ///   - count: how often it is sent in all.
    ///   - isRepeated: false for a request that is sent once and only waits for its answer.
    init(
        timeout: Duration, longest: Duration? = nil, count: Int = Limits.requestCount, isRepeated: Bool = true,
        at now: Instant
    ) {
        self.timeout = timeout
        self.longest = longest.map { max($0, timeout) }
        self.count = count
        self.isRepeated = isRepeated
        interval = timeout
        due = now + timeout
    }

    /// Begins anew, with the next one then or sooner: that the first were lost says nothing of what comes.
    mutating func restart(at instant: Instant) {
        sent = 0
        interval = timeout / 2
        due = min(due, instant)
    }

    /// What is to do now that `due` has come. Delays count from now: a late timer makes no burst.
    mutating func step(at now: Instant) -> Step {
        guard isRepeated, sent < count else { return .giveUp }
        sent += 1
        interval = min(interval * 2, longest ?? interval * 2)
        due = now + (sent == count ? longest ?? timeout * Limits.finalWait : interval)
        return .sendAgain
    }
}
