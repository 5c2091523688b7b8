import Timebase

/// Notices that a TURN server may not know us any more. One that has no allocation for a 5-tuple drops its datagrams without
/// a word (RFC 8656 §§ 11.2, 12.6), as when a NAT has given us another port. To a request it says so, as coturn does; Pion
/// says nothing but to Allocate.
struct ServerWatch {
    private var heardAt: Instant
    /// The first request since the server was heard.
    private var askedInVainSince: Instant?
    private var askedAt = Instant.zero
    /// The first datagram for a peer since the server was heard.
    private var unansweredSince: Instant?
    /// Asked since a peer was last heard: if the server answers, it is the peers that are gone.
    private var hasAsked = false
    private let isStream: Bool

    init(_ transport: TURNTransport, at now: Instant) {
        heardAt = now
        isStream = transport == .stream
    }

    mutating func heardServer(at now: Instant) {
        heardAt = now
        askedInVainSince = nil
        unansweredSince = nil
    }

    mutating func heardPeer(at now: Instant) {
        heardServer(at: now)
        hasAsked = false
    }

    /// Notes a datagram for a peer, be it one that waits for its permission.
    /// - Returns: whether the server is to be asked, for none has come for too long.
    mutating func sent(at now: Instant) -> Bool {
        let since = unansweredSince ?? now
        unansweredSince = since
        // A connection can't lose its 5-tuple unseen.
        let patience = isStream || hasAsked ? Limits.relaySilence : Limits.relayDoubt
        return now - max(since, askedAt) >= patience
    }

    /// Whether a peer that has become quiet is reason to ask.
    func mayBeUnknown(at now: Instant) -> Bool {
        !isStream && !hasAsked && now - heardAt >= Limits.quietPeer
    }

    mutating func asked(at now: Instant) {
        askedAt = now
        hasAsked = true
    }

    /// Whether the server was heard behind this moment, be it with a peer's data.
    func wasHeard(since instant: Instant) -> Bool { heardAt > instant }

    /// A refresh leaves, or the request for another allocation that follows it: where the line is not dead, the server answers
    /// one of them.
    mutating func requested(at now: Instant) { askedInVainSince = askedInVainSince ?? now }

    /// Whether it has been asked in vain for so long that peers which are reached through it have no consent any more.
    func isSilent(at now: Instant) -> Bool { askedInVainSince.map { now - $0 >= Limits.consentTime } ?? false }
}
