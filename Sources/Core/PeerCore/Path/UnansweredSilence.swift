import Timebase

/// Where a peer tells nothing of single packets, that nothing passes shows in checks that nobody answers. Pictures wait then,
/// but for a packet now and then: who is sent all of a fast stream into nothing can't tell its numbers any more once half of
/// them have gone by (RFC 3711 § 3.3.1), and sees nothing until it joins anew.
struct UnansweredSilence {
    private(set) var isOn = false
    private var sentAt = Instant.zero

    /// When the next packet of pictures may leave; nil where nothing holds it back.
    var due: Instant? { isOn ? sentAt + Limits.unansweredInterval : nil }

    /// A packet of pictures has left.
    mutating func sent(at now: Instant) { sentAt = now }

    /// - Returns: whether it ends with this.
    mutating func follow(isLost: Bool) -> Bool {
        defer { isOn = isLost }
        return isOn && !isLost
    }
}
