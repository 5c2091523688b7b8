import RTP
import TestSupport
import Timebase

@testable import PeerCore

/// A sender and its path five seconds behind the clock's zero, without a peer.
struct LoneSender {
    static let start = Instant(nanoseconds: 5_000_000_000)
    static let clock = WallClockAnchor(instant: start, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
    var sender: MediaSender
    var path: PathControl

    /// - Parameter isRepaired: packets are sent again (RFC 4588).
    init(bitsPerSecond: Int, isRepaired: Bool = false, extensions: ExtensionMap = ExtensionMap()) {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: isRepaired ? .init(payloadType: 103, ssrc: 2) : nil,
            canonicalName: "sharer", mid: nil, extensions: extensions, bitsPerSecond: bitsPerSecond)
        sender = MediaSender(parameters, wallClock: Self.clock, random: &random, at: Self.start)
        path = PathControl(parameters, random: &random, at: Self.start)
    }
}
