import Timebase

/// What a receiver counts about one SSRC, for its report blocks (RFC 3550 § 6.4.1, appendices A.3 and A.8).
package struct ReceptionStatistics: Sendable {
    package let ssrc: UInt32
    /// RTP units per second.
    private let clockRate: Int64
    private var unwrapper = Unwrapper<UInt16>()
    private var firstSequenceNumber: Int64?
    package private(set) var packetsReceived: Int64 = 0
    private var expectedBefore: Int64 = 0
    private var receivedBefore: Int64 = 0
    private var lastTransit: UInt32?
    /// In 1/16 of RTP units, as appendix A.8 keeps it.
    private var scaledJitter: Int64 = 0
    private var lastSenderReport: (middle: UInt32, at: Instant)?

    package init(ssrc: UInt32, clockRate: Int64) {
        self.ssrc = ssrc
        self.clockRate = clockRate
    }

    /// Counts a packet that came on this SSRC, duplicates and late ones too (appendix A.3).
    package mutating func receive(sequenceNumber: UInt16, timestamp: UInt32, at now: Instant) {
        let number = unwrapper.unwrap(sequenceNumber)
        firstSequenceNumber = min(firstSequenceNumber ?? number, number)
        packetsReceived += 1
        let transit = arrivalTimestamp(now) &- timestamp
        if let lastTransit {
            let difference = Int64(Int32(bitPattern: transit &- lastTransit).magnitude)
            scaledJitter += difference - (scaledJitter + 8) >> 4
        }
        lastTransit = transit
    }

    /// By how many packets one is behind the newest; negative where it is ahead.
    package func lateness(_ sequenceNumber: UInt16) -> Int {
        unwrapper.highest.map { Int(Int16(bitPattern: UInt16(truncatingIfNeeded: $0) &- sequenceNumber)) } ?? 0
    }

    package mutating func receive(senderReport: SenderReport, at now: Instant) {
        lastSenderReport = (senderReport.ntp.middle, now)
    }

    /// In RTP units.
    package var jitter: UInt32 { UInt32(clamping: scaledJitter >> 4) }

    /// Expected minus received since the start; negative where duplicates outnumber losses.
    var cumulativeLost: Int64 { expected - packetsReceived }

    private var expected: Int64 {
        guard let first = firstSequenceNumber, let highest = unwrapper.highest else { return 0 }
        return highest - first + 1
    }

    /// A report block over the time since the last one; nil before the first packet.
    package mutating func makeReport(at now: Instant) -> ReportBlock? {
        guard let highest = unwrapper.highest else { return nil }
        let fraction = takeFractionLost()
        return ReportBlock(
            ssrc: ssrc, fractionLost: fraction,
            // 24 bits, "clamped at 0x7fffff for positive loss or 0x800000 for negative" (appendix A.3).
            cumulativeLost: Int32(max(-0x80_0000, min(0x7f_ffff, cumulativeLost))),
            extendedHighestSequenceNumber: UInt32(truncatingIfNeeded: highest), jitter: jitter,
            lastSenderReport: lastSenderReport?.middle ?? 0,
            delaySinceLastSenderReport: lastSenderReport.map { Self.delay(now - $0.at) } ?? 0)
    }

    private mutating func takeFractionLost() -> UInt8 {
        let expectedNow = expected - expectedBefore
        let lostNow = expectedNow - (packetsReceived - receivedBefore)
        expectedBefore = expected
        receivedBefore = packetsReceived
        guard expectedNow > 0, lostNow > 0 else { return 0 }
        return UInt8(min(255, lostNow * 256 / expectedNow))
    }

    /// In 1/65536 s.
    private static func delay(_ duration: Duration) -> UInt32 {
        let (seconds, rest) = max(0, duration.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        return UInt32(clamping: seconds << 16 + (rest << 16) / 1_000_000_000)
    }

    private func arrivalTimestamp(_ now: Instant) -> UInt32 {
        let (seconds, rest) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return UInt32(truncatingIfNeeded: seconds &* clockRate &+ rest &* clockRate / 1_000_000_000)
    }
}
