import Timebase

/// The right to send on one pair (RFC 7675), and whether the peer is there at all: whether it answers. That it asks says nothing
/// of what we send.
struct Consent {
    /// The last authenticated response to a request of ours: the only thing that renews consent.
    private(set) var answeredAt: Instant
    /// The last authenticated message of any kind.
    private var heardAt: Instant
    private(set) var nextCheck: Instant
    /// The peer has been asked for long, and has not answered.
    private(set) var isSilent = false
    /// When it was first heard since it fell silent.
    private var heardAgainAt: Instant?
    /// Since when the peer has been asked, and nothing was heard of it.
    private(set) var askedSince: Instant?
    private var doubtedAt: Instant?
    /// Over TCP: what is sent arrives, or the connection is lost, which is told.
    private let isReliable: Bool

    init(answeredAt: Instant, interval: Duration, isReliable: Bool) {
        self.answeredAt = answeredAt
        heardAt = answeredAt
        nextCheck = answeredAt + interval
        self.isReliable = isReliable
    }

    var expiry: Instant { answeredAt + Limits.consentTime }
    var silence: Instant { answeredAt + Limits.silenceTime }
    /// Whether nothing at all has come since the peer fell silent.
    var isUnheard: Bool { isSilent && heardAgainAt == nil }

    /// Whether another pair may take over. Who is heard again has a moment to answer.
    func mayBeLeft(at now: Instant) -> Bool {
        isSilent && (heardAgainAt.map { now - $0 >= Limits.challengeTime } ?? true)
    }

    /// When a check beside the regular ones is due, because those had no answer.
    var doubt: Instant {
        let first = answeredAt + Limits.doubtTime
        guard let doubtedAt else { return first }
        // Who is heard again can answer.
        let next = doubtedAt + (heardAt >= first ? Limits.hopefulDoubtInterval : Limits.doubtInterval)
        if isReliable { return next }
        return min(next, max(doubtedAt + Limits.lastDoubtInterval, answeredAt + Limits.lastDoubtTime))
    }

    /// True where the peer had been silent.
    mutating func answered(at now: Instant) -> Bool {
        answeredAt = now
        doubtedAt = nil
        heardAgainAt = nil
        defer { isSilent = false }
        return isSilent
    }

    mutating func doubted(at now: Instant) { doubtedAt = now }

    mutating func heard(at now: Instant) {
        heardAt = now
        askedSince = nil
        guard isUnheard else { return }
        heardAgainAt = now
        hasten(to: now)
    }

    mutating func asked(at now: Instant) { askedSince = askedSince ?? now }

    mutating func fellSilent() { isSilent = true }

    /// The next check must not wait for its time.
    mutating func hasten(to instant: Instant) { nextCheck = min(nextCheck, instant) }

    mutating func checked(at now: Instant, interval: Duration) { nextCheck = now + interval }

    /// At random (RFC 7675 § 5.1).
    static func interval(using random: inout some RandomNumberGenerator) -> Duration {
        .milliseconds(Int64.random(in: Limits.consentIntervalMilliseconds, using: &random))
    }
}
