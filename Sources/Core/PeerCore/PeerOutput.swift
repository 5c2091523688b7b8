import Datagrams
import RTP
import Timebase

/// A datagram to send, from one of our sockets.
package struct Transmit: Sendable {
    package var bytes: [UInt8]
    /// The socket's address; port 9 of TCP stands for a connection that is ours to make.
    package var from: TransportAddress
    package var to: TransportAddress
    package var dscp: DSCP
    package var ecn: ECN

    package init(
        bytes: [UInt8], from: TransportAddress, to: TransportAddress, dscp: DSCP = .standard,
        ecn: ECN = .notCapable
    ) {
        self.bytes = bytes
        self.from = from
        self.to = to
        self.dscp = dscp
        self.ecn = ecn
    }
}

/// Why a peer wants to be woken at an instant. For traces and tests; drivers ignore it.
package enum WaitReason: Hashable, Sendable {
    case ice
    case handshake
    case pacer
    case report
    case repair
    case setupLimit
    case nothing
}

package enum DisconnectReason: Error, Hashable, Sendable {
    /// No pair worked (RFC 8445 § 8.1.2), or setting up took too long.
    case unreachable
    /// Consent expired: the peer has not answered for 30 s (RFC 7675 § 5.1).
    case consentExpired
    case handshake(HandshakeError)
    /// The peer said BYE or closed its DTLS association.
    case closedByPeer
    /// What comes is another stream than before, as where a server's publisher came back: it is to be begun anew.
    case streamReplaced
    /// The library that protects packets failed.
    case protection(ProtectionError)
}

package enum PeerEvent: Sendable {
    /// Media may flow: ICE has a pair, the handshake is done, the fingerprint is right.
    case connected
    /// ICE has not heard from the peer for some seconds, or hears from it again.
    case interrupted(Bool)
    case disconnected(DisconnectReason)
    /// The peer lacks a picture to decode from (PLI, FIR, or it has just connected).
    case keyframeNeeded
    /// It has asked for one, as players do when they begin, or while one was on its way to it: others need not pay.
    case keyframeAskedEarly
    /// Those who lacked one have been served otherwise before it was made.
    case keyframeNeedless
    /// Sound gets lost on the way to a viewer who takes no copies of it, or not any number of bits: what share, 0…1, or that
    /// it is none any more.
    case losesAudio(Double)
    /// What the path to a viewer lets through has changed.
    case path(PathState)
    /// A viewer's: an access unit in decoding order.
    case received(ReceivedUnit)
    /// A viewer's: a packet of sound, as the network brought it.
    case receivedAudio(ReceivedAudio)
}

/// An access unit as it came from the sharer.
package struct ReceivedUnit: Sendable {
    package var accessUnit: AccessUnit
    /// The RTP timestamp, extended to 64 bits.
    package var mediaTime: MediaTime
    package var receivedAt: Instant
    /// When the source showed it, on the sharer's wall clock; nil before its first report.
    package var capturedAt: NTPTimestamp?
}

/// What `PeerCore.nextOutput()` gives: drained until it says `wait`.
package enum PeerOutput: Sendable {
    case transmit(Transmit)
    case event(PeerEvent)
    case wait(until: Instant, WaitReason)
}
