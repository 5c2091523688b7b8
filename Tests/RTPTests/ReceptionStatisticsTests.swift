import RTP
import TestSupport
import Testing
import Timebase

@Suite("Reception statistics (RFC 3550 § 6.4.1, appendices A.3 and A.8)")
struct ReceptionStatisticsTests {
    @Test("Before the first packet there is nothing to report")
    func silent() {
        var statistics = ReceptionStatistics(ssrc: 1, clockRate: 90_000)
        let report = statistics.makeReport(at: .zero)
        #expect(report == nil)
    }

    @Test("Loss is counted over the time since the last report, and since the start, across the wrap")
    func loss() throws {
        var statistics = ReceptionStatistics(ssrc: 7, clockRate: 90_000)
        for number in 65530..<65540 where number % 4 != 0 {
            statistics.receive(sequenceNumber: UInt16(truncatingIfNeeded: number), timestamp: 0, at: .zero)
        }
        // 65532 and 65536 are missing of 65530…65539.
        let first = try report(&statistics)
        #expect(first.ssrc == 7 && first.fractionLost == UInt8(2 * 256 / 10) && first.cumulativeLost == 2)
        #expect(first.extendedHighestSequenceNumber == 65539)

        for number in 4..<8 { statistics.receive(sequenceNumber: UInt16(number), timestamp: 0, at: .zero) }
        let second = try report(&statistics)
        #expect(second.fractionLost == 0 && second.cumulativeLost == 2)
        #expect(second.extendedHighestSequenceNumber == 65543)
    }

    @Test("Everything lost in an interval is 255 of 256, duplicates make the loss negative and the fraction zero")
    func extremes() throws {
        var statistics = ReceptionStatistics(ssrc: 7, clockRate: 90_000)
        statistics.receive(sequenceNumber: 0, timestamp: 0, at: .zero)
        _ = statistics.makeReport(at: .zero)
        statistics.receive(sequenceNumber: 30_000, timestamp: 0, at: .zero)
        #expect(try report(&statistics).fractionLost == 255)

        var duplicated = ReceptionStatistics(ssrc: 7, clockRate: 90_000)
        for _ in 0..<3 { duplicated.receive(sequenceNumber: 5, timestamp: 0, at: .zero) }
        let doubled = try report(&duplicated)
        #expect(doubled.cumulativeLost == -2 && doubled.fractionLost == 0)
    }

    @Test("Jitter is zero for an even stream, and nears the mean deviation of an uneven one")
    func jitter() {
        var even = ReceptionStatistics(ssrc: 1, clockRate: 90_000)
        var uneven = ReceptionStatistics(ssrc: 1, clockRate: 90_000)
        for index in 0..<500 {
            let number = UInt16(index)
            // Timestamps wrap on the way.
            let timestamp = UInt32.max - 50_000 &+ UInt32(index) &* 3000
            let time = Instant.zero + .nanoseconds(Int64(index) * 1_000_000_000 / 30)
            even.receive(sequenceNumber: number, timestamp: timestamp, at: time)
            let late = index % 2 == 0 ? Duration.zero : .milliseconds(10)
            uneven.receive(sequenceNumber: number, timestamp: timestamp, at: time + late)
        }
        #expect(even.jitter <= 1)
        // Each packet deviates by 10 ms, that is 900 ticks.
        #expect((890...901).contains(uneven.jitter))
    }

    @Test("Hostile timestamps and late times do not trap")
    func hostile() throws {
        var statistics = ReceptionStatistics(ssrc: 1, clockRate: 90_000)
        var random = SeededGenerator(seed: 21)
        for _ in 0..<2000 {
            statistics.receive(
                sequenceNumber: UInt16.random(in: .min ... .max, using: &random),
                timestamp: UInt32.random(in: .min ... .max, using: &random),
                at: Instant(nanoseconds: Int64.random(in: 0 ... .max, using: &random)))
        }
        _ = try report(&statistics, at: .distantFuture)
    }

    @Test("A report answered after a delay gives the round trip without the delay")
    func roundTrip() throws {
        let anchor = WallClockAnchor(instant: .zero, ntp: NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000))
        var sender = SendStatistics(ssrc: 1)
        sender.sent(payloadBytes: 1000)
        sender.sent(payloadBytes: 200)
        let sent = sender.report(ntp: anchor.ntp(at: .zero), rtpTimestamp: 5)
        #expect(sent.packetCount == 2 && sent.octetCount == 1200)

        var statistics = ReceptionStatistics(ssrc: 1, clockRate: 90_000)
        statistics.receive(sequenceNumber: 1, timestamp: 5, at: .zero)
        #expect(try report(&statistics).lastSenderReport == 0)
        // 30 ms there, one second of waiting, 30 ms back.
        statistics.receive(senderReport: sent, at: .zero + .milliseconds(30))
        let block = try report(&statistics, at: .zero + .milliseconds(1030))
        #expect(block.delaySinceLastSenderReport == 65536)
        let back = anchor.ntp(at: .zero + .milliseconds(1060))
        let measured = try #require(block.roundTripTime(received: back))
        #expect(abs(measured.inMilliseconds - 60) < 0.1)
    }

    @Test("A round trip that cannot be true is none")
    func lies() {
        var block = ReportBlock(
            ssrc: 1, fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0, jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        let now = NTPTimestamp(bits: 0x0000_1000_0000_0000)
        #expect(block.roundTripTime(received: now) == nil)
        block.lastSenderReport = now.middle
        #expect(block.roundTripTime(received: now) == .zero)
        block.delaySinceLastSenderReport = 60  // Less than a millisecond too much: rounding.
        #expect(block.roundTripTime(received: now) == .zero)
        block.delaySinceLastSenderReport = 65536
        #expect(block.roundTripTime(received: now) == nil)
        block.delaySinceLastSenderReport = 0
        block.lastSenderReport = now.middle &- 31 * 65536
        #expect(block.roundTripTime(received: now) == nil)
        block.lastSenderReport = now.middle &- 29 * 65536
        #expect(block.roundTripTime(received: now) == .seconds(29))
    }

    private func report(_ statistics: inout ReceptionStatistics, at now: Instant = .zero) throws -> ReportBlock {
        let report = statistics.makeReport(at: now)
        return try #require(report)
    }
}
