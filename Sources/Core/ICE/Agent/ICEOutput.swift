import Datagrams
import Timebase

package enum ICEEvent: Hashable, Sendable {
    /// Our check was answered: media may flow on this pair until one is selected (RFC 8445 § 12.1).
    case validPair(CandidatePair)
    /// A pair was nominated, the first or another; media goes there now.
    case selectedPair(CandidatePair)
    /// Nothing was answered on the pair in use for some seconds; the others are being tried.
    case disconnected
    /// The peer answers there again.
    case recovered
    /// No right to send any more (RFC 7675 § 5.1); only a restart goes on from here.
    case consentExpired
    /// No pair worked in time (RFC 8445 § 8.1.2, RFC 8863). After a restart the old pair, if it still works, stays in
    /// use.
    case failed
}

/// Why the agent wants to be woken. For traces and tests; drivers ignore it.
package enum ICEWaitReason: Hashable, Sendable {
    case check
    case retransmission
    case nomination
    case consent
    case connectionLimit
    case nothing
}

/// What `ICEAgent.nextOutput()` gives: drained until it says `wait`.
package enum ICEOutput: Hashable, Sendable {
    case transmit(bytes: [UInt8], from: TransportAddress, to: TransportAddress)
    case event(ICEEvent)
    case wait(until: Instant, ICEWaitReason)
}

/// The earliest of several instants, with its reason.
struct Wake: Hashable {
    private(set) var due = Instant.distantFuture
    private(set) var reason = ICEWaitReason.nothing

    mutating func consider(_ instant: Instant?, _ why: ICEWaitReason) {
        guard let instant, instant < due else { return }
        due = instant
        reason = why
    }
}
