import Datagrams
import Timebase

/// What a receiver says about one source (RFC 3550 § 6.4.1).
package struct ReportBlock: Hashable, Sendable {
    static let size = 24

    package var ssrc: UInt32
    /// Lost since the report before, in 1/256.
    package var fractionLost: UInt8
    /// Signed 24 bits; negative where duplicates arrived.
    package var cumulativeLost: Int32
    package var extendedHighestSequenceNumber: UInt32
    /// In RTP units.
    package var jitter: UInt32
    /// The middle 32 bits of the NTP timestamp of the last SR; 0 where none came.
    package var lastSenderReport: UInt32
    /// Since that SR, in 1/65536 s.
    package var delaySinceLastSenderReport: UInt32

    package init(
        ssrc: UInt32, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequenceNumber: UInt32,
        jitter: UInt32, lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    init?(_ span: RawSpan, _ cursor: inout Cursor) {
        guard let ssrc = cursor.u32(span), let fraction = cursor.u8(span), let lost = cursor.u24(span),
            let highest = cursor.u32(span), let jitter = cursor.u32(span), let last = cursor.u32(span),
            let delay = cursor.u32(span)
        else { return nil }
        self.init(
            ssrc: ssrc, fractionLost: fraction, cumulativeLost: Int32(bitPattern: lost << 8) >> 8,
            extendedHighestSequenceNumber: highest, jitter: jitter, lastSenderReport: last,
            delaySinceLastSenderReport: delay)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(u32: ssrc)
        bytes.append(u8: fractionLost)
        bytes.append(u24: UInt32(bitPattern: max(-0x80_0000, min(0x7f_ffff, cumulativeLost))) & 0xff_ffff)
        bytes.append(u32: extendedHighestSequenceNumber)
        bytes.append(u32: jitter)
        bytes.append(u32: lastSenderReport)
        bytes.append(u32: delaySinceLastSenderReport)
    }

    /// A − LSR − DLSR (RFC 3550 § 6.4.1), for a block that came at `received` on the clock of our sender reports.
    ///
    /// Nil where no SR was heard or the figure cannot be true. A result below zero by less than a millisecond is
    /// rounding, and counts as zero.
    package func roundTripTime(received: NTPTimestamp) -> Duration? {
        guard lastSenderReport != 0 else { return nil }
        let units = Int32(bitPattern: received.middle &- lastSenderReport &- delaySinceLastSenderReport)
        guard units > -66 else { return nil }
        let time = Duration.nanoseconds(Int64(max(0, units)) * 1_000_000_000 / 65536)
        return time <= Limits.longestRoundTrip ? time : nil
    }

    /// `count` blocks; nil where they do not fit.
    static func list(_ span: RawSpan, _ cursor: inout Cursor, count: UInt8) -> [ReportBlock]? {
        guard cursor.remaining >= Int(count) * size else { return nil }
        var blocks: [ReportBlock] = []
        for _ in 0..<count {
            guard let block = ReportBlock(span, &cursor) else { return nil }
            blocks.append(block)
        }
        return blocks
    }
}
