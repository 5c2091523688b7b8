import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("Congestion control feedback")
struct CongestionFeedbackTests {
    @Test("Random reports survive building and parsing (seed 5)")
    func randomRoundTrip() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let reports = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                CongestionFeedback.StreamReport(
                    ssrc: .random(in: 0...(.max), using: &random),
                    firstSequenceNumber: .random(in: 0...(.max), using: &random),
                    metrics: (0..<Int.random(in: 0...200, using: &random)).map { _ in
                        PacketMetric(rawValue: .random(in: 0...(.max), using: &random))
                    })
            }
            let feedback = CongestionFeedback(
                senderSSRC: .random(in: 0...(.max), using: &random), reports: reports,
                timestamp: .random(in: 0...(.max), using: &random))
            let bytes = bytes(feedback)
            #expect(bytes.count % 4 == 0)
            #expect(try parse(bytes) == feedback)
        }
    }

    @Test("Streams, metrics, padding and the report's time lie in the bytes as RFC 8888 draws them")
    func layout() {
        let feedback = CongestionFeedback(
            senderSSRC: 0x0102_0304,
            reports: [
                .init(
                    ssrc: 0xaabb_ccdd, firstSequenceNumber: 65535,
                    metrics: [
                        PacketMetric(offset: .milliseconds(500)), .notReceived,
                        PacketMetric(offset: .zero, ecn: .congestionExperienced),
                    ]),
                .init(ssrc: 7, firstSequenceNumber: 1, metrics: []),
            ],
            timestamp: 0x1122_3344)
        #expect(
            bytes(feedback) == [
                0x8b, 205, 0, 8, 1, 2, 3, 4, 0xaa, 0xbb, 0xcc, 0xdd, 0xff, 0xff, 0, 3, 0x82, 0x00, 0, 0, 0xe0, 0, 0, 0,
                0, 0, 0, 7, 0, 1, 0, 0, 0x11, 0x22, 0x33, 0x44,
            ])
    }

    @Test("An offset is told to half of 1/1024 s; too long, unknown and impossible ones as such")
    func offsets() {
        for microseconds in stride(from: 0, through: 7_990_000, by: 7919) {
            let offset = Duration.microseconds(microseconds)
            let read = PacketMetric(offset: offset).offset ?? .seconds(99)
            #expect(abs((read - offset).inSeconds) <= 0.5 / 1024 + 1e-8)
        }
        #expect(PacketMetric(offset: .seconds(8189) / 1024).rawValue == 0x8000 | 0x1ffd)
        for long in [Duration.milliseconds(7998), .seconds(9), .seconds(1 << 40)] {
            #expect(PacketMetric(offset: long).rawValue == 0x8000 | 0x1ffe)
        }
        for unknown in [nil, Duration.nanoseconds(-1)] {
            #expect(PacketMetric(offset: unknown).rawValue == 0x8000 | 0x1fff)
        }
        for vague: UInt16 in [0x9ffe, 0x9fff] {
            let metric = PacketMetric(rawValue: vague)
            #expect(metric.isReceived && metric.offset == nil)
        }
        // Behind R = 0 nothing is read.
        let lost = PacketMetric(rawValue: 0x7123)
        #expect(!lost.isReceived && lost.offset == nil && lost.ecn == .notCapable)
        for ecn in [ECN.notCapable, .capable0, .capable1, .congestionExperienced] {
            #expect(PacketMetric(offset: .zero, ecn: ecn).ecn == ecn)
        }
    }

    @Test("What is shorter or longer than it says, or says too much, is refused")
    func refused() throws {
        func body(_ words: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = [0x8b, 205, 0, 0, 0, 0, 0, 1] + words
            bytes.set(u16: UInt16(bytes.count / 4 - 1), at: 2)
            return bytes
        }
        #expect(try parse(body([0, 0, 0, 9]))?.reports == [])
        for malformed: [UInt8] in [
            [],  // no report's time
            [0, 0, 0, 2, 0, 1, 0, 2, 0x80, 1, 0x80, 1],  // metrics, and no report's time
            [0, 0, 0, 2, 0, 1, 0, 3, 0x80, 1, 0x80, 1, 0, 0, 0, 9],  // the padding is the report's time
            [0, 0, 0, 2, 0, 1, 0x40, 1, 0, 0, 0, 9],  // more than a quarter of the numbers
            [0, 0, 0, 2, 0, 1, 0xff, 0xff, 0, 0, 0, 9],
            [0, 0, 0, 2, 0, 0, 0, 9],  // half a stream
        ] {
            #expect(throws: RTCPError.malformed(.transportFeedback)) { try packets(body(malformed)) }
        }
        let many = body([UInt8](repeating: 0, count: 8 * (Limits.streamsPerFeedback + 1) + 4))
        #expect(throws: RTCPError.tooMany) { try packets(many) }
    }

    @Test("The recorder tells each stream's arrivals across the wrap, and what is missing between them")
    func recorder() throws {
        var recorder = CongestionFeedbackRecorder()
        #expect(!recorder.hasNews)
        for (number, milliseconds) in [(65534, 1000), (65535, 1010), (1, 1030)] {
            recorder.receive(ssrc: 7, sequenceNumber: UInt16(number), at: at(milliseconds))
        }
        #expect(recorder.receive(ssrc: 8, sequenceNumber: 500, at: at(1040)) == nil)
        #expect(recorder.receive(ssrc: 8, sequenceNumber: 503, at: at(1050)) == 2)
        let feedback = try report(&recorder, at: 1050)
        #expect(feedback.reports.map(\.ssrc) == [7, 8] && feedback.reports.map(\.firstSequenceNumber) == [65534, 500])
        #expect(feedback.reports[0].metrics.map(\.isReceived) == [true, true, false, true])
        #expect(feedback.reports[1].metrics.map(\.isReceived) == [true, false, false, true])
        for (metric, milliseconds) in zip(feedback.reports[0].metrics, [50, 40, -1, 20]) where milliseconds >= 0 {
            let offset = try #require(metric.offset)
            #expect(abs(offset.inMilliseconds - Double(milliseconds)) < 0.5)
        }
        #expect(!recorder.hasNews)
        // A stream that rests is left out.
        recorder.receive(ssrc: 8, sequenceNumber: 505, at: at(1100))
        let second = try report(&recorder, at: 1100)
        #expect(second.reports.map(\.ssrc) == [8] && second.reports[0].firstSequenceNumber == 504)
    }

    @Test("A late packet is told with what came after it; of copies the first one's time and any one's ECN")
    func lateAndDuplicate() throws {
        var recorder = CongestionFeedbackRecorder()
        for number: UInt16 in [10, 12, 13] { recorder.receive(ssrc: 7, sequenceNumber: number, at: at(50)) }
        _ = try report(&recorder, at: 50)
        recorder.receive(ssrc: 7, sequenceNumber: 12, at: at(60))
        #expect(!recorder.hasNews)
        recorder.receive(ssrc: 7, sequenceNumber: 11, at: at(60))
        let late = try report(&recorder, at: 60)
        #expect(late.reports[0].firstSequenceNumber == 11)
        #expect(late.reports[0].metrics.map(\.rawValue) == [0x8000, 0x800a, 0x800a])
        recorder.receive(ssrc: 7, sequenceNumber: 13, ecn: .congestionExperienced, at: at(70))
        let marked = try report(&recorder, at: 70)
        #expect(marked.reports[0].metrics == [PacketMetric(offset: .milliseconds(20), ecn: .congestionExperienced)])
    }

    @Test("A recorder that repeats tells each arrival twice, and the last report again as often as one likes")
    func repetition() throws {
        var recorder = CongestionFeedbackRecorder(repeatsLast: true)
        var told: [UInt16: Int] = [:]
        for step in 0..<10 {
            for offset in 0..<4 {
                recorder.receive(ssrc: 7, sequenceNumber: UInt16(step * 4 + offset), at: at(step * 40))
            }
            let stream = try report(&recorder, at: step * 40).reports[0]
            for index in stream.metrics.indices { told[stream.firstSequenceNumber + UInt16(index), default: 0] += 1 }
        }
        #expect(told.filter { $0.key < 36 }.values.allSatisfy { $0 == 2 })
        #expect(told.count == 40)
        for _ in 0..<3 {
            let packets = recorder.makeFeedback(
                senderSSRC: 1, ntp: NTPTimestamp(bits: 0), again: true, at: at(500))
            #expect(packets.map { $0.reports.map(\.metrics.count) } == [[4]])
        }
    }

    @Test("Long reports of many streams are cut into packets below 1200 bytes that tell all of it (seed 8)")
    func manyArrivals() throws {
        var random = SeededGenerator(seed: 8)
        var recorder = CongestionFeedbackRecorder()
        var expected: [UInt32: Set<UInt16>] = [:]
        for step in 0..<12_000 where random.chance(70) {
            let ssrc = UInt32(step % Limits.recordedStreams)
            let number = UInt16(truncatingIfNeeded: 65000 + step / Limits.recordedStreams)
            expected[ssrc, default: []].insert(number)
            recorder.receive(ssrc: ssrc, sequenceNumber: number, at: at(step / 4))
        }
        var told: [UInt32: Set<UInt16>] = [:]
        let packets = recorder.makeFeedback(senderSSRC: 1, ntp: NTPTimestamp(bits: 0), at: at(3000))
        for feedback in packets {
            #expect(bytes(feedback).count < 1200)
            #expect(try parse(bytes(feedback)) == feedback)
            for report in feedback.reports {
                for (index, metric) in report.metrics.enumerated() where metric.isReceived {
                    told[report.ssrc, default: []].insert(report.firstSequenceNumber &+ UInt16(index))
                }
            }
        }
        #expect(told == expected)
    }

    @Test("Streams and numbers that jump wildly never grow the memory of a recorder (seed 3)")
    func hostileNumbers() {
        var random = SeededGenerator(seed: 3)
        var recorder = CongestionFeedbackRecorder(repeatsLast: true)
        for step in 0..<4000 {
            recorder.receive(
                ssrc: random.chance(50) ? .random(in: 0...(.max), using: &random) : 1,
                sequenceNumber: .random(in: 0...(.max), using: &random), at: at(step))
            guard step % 100 == 0 else { continue }
            let packets = recorder.makeFeedback(senderSSRC: 1, ntp: NTPTimestamp(bits: 0), at: at(step))
            let reports = packets.flatMap(\.reports)
            #expect(Set(reports.map(\.ssrc)).count <= Limits.recordedStreams)
            #expect(reports.map(\.metrics.count).reduce(0, +) <= 2 * 8 * 5000)
        }
    }

    private func report(
        _ recorder: inout CongestionFeedbackRecorder, at milliseconds: Int
    ) throws -> CongestionFeedback {
        let packets = recorder.makeFeedback(senderSSRC: 1, ntp: NTPTimestamp(bits: 0), at: at(milliseconds))
        return try #require(packets.first)
    }

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func bytes(_ feedback: CongestionFeedback) -> [UInt8] {
        var bytes: [UInt8] = []
        feedback.append(to: &bytes)
        return bytes
    }

    private func parse(_ bytes: [UInt8]) throws -> CongestionFeedback? {
        guard case .congestionFeedback(let feedback) = try packets(bytes).first else { return nil }
        return feedback
    }

    @discardableResult
    private func packets(_ bytes: [UInt8]) throws(RTCPError) -> [RTCPPacket] {
        try bytes.read { (span) throws(RTCPError) in try RTCPPacket.packets(span) }
    }
}
