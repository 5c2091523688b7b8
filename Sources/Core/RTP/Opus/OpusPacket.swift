import Datagrams
import Timebase

/// What an Opus packet holds, read from its headers alone (RFC 6716 § 3): nothing is decoded.
package struct OpusPacket: Hashable, Sendable {
    package let toc: OpusTOC
    /// Where the frames lie in the packet; an empty one was not sent (DTX) or lost on the way (§ 3.2.1).
    package let frames: [Range<Int>]
    /// A copy of what the packet before it held (in-band FEC, § 4.2.3 and § 4.2.5).
    package let hasFEC: Bool

    /// - Parameter range: where the packet lies in the bytes, such as an RTP payload in its datagram.
    package init(_ span: RawSpan, _ range: Range<Int>) throws(OpusPacketError) {
        var reader = OpusFrameReader(span, range)
        toc = try reader.toc(span)
        frames = try reader.frames(span, toc)
        hasFEC = Self.hasFEC(span, toc, first: frames.first)
    }

    package init(_ bytes: [UInt8]) throws(OpusPacketError) {
        self = try bytes.read { (span) throws(OpusPacketError) in try OpusPacket(span, 0..<span.byteCount) }
    }

    /// The packet's duration in samples at 48 kHz, which is by how much the RTP timestamp rises (RFC 7587 § 4.2).
    package var samples: Int { toc.frameSamples * frames.count }

    package var duration: Duration { .microseconds(samples * 125 / 6) }

    /// Nothing in it can be heard: a decoder conceals (DTX, § 2.1.9).
    package var isEmpty: Bool { frames.allSatisfy(\.isEmpty) }

    /// The SILK part of a frame begins with a bit of voice activity for each 20 ms and one bit for the copies, first
    /// those of the mid channel, then those of the side (§ 4.2.3). Bits of even odds lie in the range coder's bytes as
    /// they are, from the top.
    private static func hasFEC(_ span: RawSpan, _ toc: OpusTOC, first: Range<Int>?) -> Bool {
        guard toc.mode != .celt, let first, !first.isEmpty, let bits = span.u8(at: first.lowerBound) else {
            return false
        }
        let activities = max(1, toc.frameSamples / 960)
        let mid = bits << activities
        let side = bits << (2 * activities + 1)
        return mid & 0x80 != 0 || toc.channels == 2 && side & 0x80 != 0
    }
}
