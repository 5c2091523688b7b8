import Timebase

/// The right to send on one pair (RFC 7675), and whether the peer is heard at all.
struct Consent {
    /// The last authenticated response to a request of ours: the only thing that renews consent.
    private(set) var answeredAt: Instant
    /// The last authenticated message of any kind.
    private(set) var heardAt: Instant
    private(set) var nextCheck: Instant
    private(set) var isSilent = false
    /// Since when the peer has been asked, and nothing was heard of it.
    private(set) var askedSince: Instant?
    private var doubtedAt: Instant?

    init(answeredAt: Instant, interval: Duration, at now: Instant) {
        self.answeredAt = answeredAt
        heardAt = answeredAt
        nextCheck = now + interval
    }

    var expiry: Instant { answeredAt + Limits.consentTime }
    var silence: Instant { heardAt + Limits.silenceTime }

    /// When a check beside the regular ones is due, because those had no answer.
    var doubt: Instant {
        let first = answeredAt + Limits.doubtTime
        // Who is heard again can answer.
        let interval = heardAt >= first ? Limits.hopefulDoubtInterval : Limits.doubtInterval
        return doubtedAt.map { max(first, $0 + interval) } ?? first
    }

    mutating func answered(at now: Instant) {
        answeredAt = now
        doubtedAt = nil
    }

    mutating func doubted(at now: Instant) { doubtedAt = now }

    /// True where the peer had been silent.
    mutating func heard(at now: Instant) -> Bool {
        heardAt = now
        askedSince = nil
        defer { isSilent = false }
        return isSilent
    }

    mutating func asked(at now: Instant) { askedSince = askedSince ?? now }

    mutating func fellSilent() { isSilent = true }

    /// The next check must not wait for its time.
    mutating func hasten(to instant: Instant) { nextCheck = min(nextCheck, instant) }

    mutating func checked(at now: Instant, interval: Duration) { nextCheck = now + interval }

    /// 5 s ± 20 % (RFC 7675 § 5.1).
    static func interval(using random: inout some RandomNumberGenerator) -> Duration {
        .milliseconds(Int64.random(in: Limits.consentIntervalMilliseconds, using: &random))
    }
}
