import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("Transport-wide feedback")
struct TransportFeedbackTests {
    @Test("Every kind of chunk and delta survives building and parsing")
    func roundTrip() throws {
        let patterns: [[Int64?]] = [
            [0],
            [10, nil, nil, 300, -5, nil, 0],
            [Int64?](repeating: 4, count: 20),
            [0] + [Int64?](repeating: nil, count: 9000) + [1],
            (0..<40).map { $0 % 2 == 0 ? 3 : nil },
            (0..<40).map { $0 % 3 == 0 ? 256 : 1 },
            [Int64?](repeating: 1000, count: 8) + [nil],
            [32767, -32768, nil, 255, 256],
        ]
        for pattern in patterns {
            let feedback = feedback(deltas: pattern)
            #expect(try parse(feedback) == feedback, "\(pattern.prefix(50))")
        }
    }

    @Test("Random arrivals survive building and parsing (seed 4)")
    func randomRoundTrip() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<300 {
            let loss = Int.random(in: 0...100, using: &random)
            let large = Int.random(in: 0...100, using: &random)
            var deltas: [Int64?] = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                if random.chance(loss) { return nil }
                return random.chance(large)
                    ? Int64.random(in: -32768...32767, using: &random) : Int64.random(in: 0...255, using: &random)
            }
            deltas[0] = deltas[0] ?? 0
            let feedback = feedback(deltas: deltas)
            #expect(try parse(feedback) == feedback)
        }
    }

    @Test("Chunks and deltas lie in the bytes as the draft draws them")
    func layout() {
        var bytes: [UInt8] = []
        feedback(deltas: [4, nil, 300, 1, 1]).append(to: &bytes)
        #expect(Array(bytes.prefix(4)) == [0x8f, 205, 0, 6])
        // Base 65534, five statuses, reference time −2, feedback count 9.
        #expect(Array(bytes[12..<20]) == [0xff, 0xfe, 0, 5, 0xff, 0xff, 0xfe, 9])
        // A vector of two-bit symbols: small, none, large, small, small.
        #expect(Array(bytes[20..<22]) == [0b1101_0010, 0b0101_0000])
        #expect(Array(bytes[22..<27]) == [4, 0x01, 0x2c, 1, 1])
        #expect(bytes.count == 28)
    }

    @Test("libwebrtc's way of padding, with the P bit and fewer than four bytes, is accepted")
    func oddPadding() throws {
        let bytes: [UInt8] = [
            0xaf, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 7, 0, 1, 0, 0, 1, 0, 0x20, 0x01, 5, 1,
        ]
        guard case .transportFeedback(let feedback) = try packets(bytes).first else {
            Issue.record("no feedback")
            return
        }
        #expect(feedback.arrivals == [.init(offset: 0, ticks: 5)])
        #expect(feedback.time(of: feedback.arrivals[0]) == .milliseconds(64) + .microseconds(1250))
    }

    @Test("Deltas that are not there, reserved symbols, no statuses and empty runs are refused")
    func refused() {
        let header: [UInt8] = [0x8f, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 7]
        func malformed(_ rest: [UInt8]) {
            #expect(throws: RTCPError.malformed(.transportFeedback)) { try packets(header + rest) }
        }
        malformed([0xff, 0xff, 0, 0, 1, 0, 0x3f, 0xff, 0, 0])  // 8191 arrivals, two bytes of deltas
        malformed([0, 3, 0, 0, 1, 0, 0x40, 3, 0, 0])  // three large deltas, two bytes
        malformed([0, 1, 0, 0, 1, 0, 0x60, 1, 0, 0])  // symbol 3
        malformed([0, 1, 0, 0, 1, 0, 0xf0, 0, 0, 0])  // symbol 3 in a vector
        malformed([0, 0, 0, 0, 1, 0, 0x20, 1, 0, 0])  // no statuses
        malformed([0, 1, 0, 0, 1, 0, 0x20, 0, 0x20, 0])  // runs of nothing
    }

    @Test("The recorder reports each arrival to a quarter of a millisecond, and losses between reports")
    func recorder() throws {
        var recorder = TransportFeedbackRecorder()
        #expect(!recorder.hasNews)
        for (number, milliseconds) in [(65534, 1000), (65535, 1001), (1, 1003)] {
            recorder.receive(transportSequenceNumber: UInt16(number), at: at(milliseconds))
        }
        #expect(recorder.hasNews)
        let first = try report(&recorder)
        #expect(first.baseSequenceNumber == 65534 && first.statusCount == 4)
        #expect(first.arrivals.map { first.time(of: $0) } == [1000, 1001, 1003].map { .milliseconds($0) })
        #expect(first.arrivals.map { first.sequenceNumber(of: $0) } == [65534, 65535, 1])
        let nothing = recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2)
        #expect(!recorder.hasNews && nothing.isEmpty)

        recorder.receive(transportSequenceNumber: 4, at: at(1100))
        let second = try report(&recorder)
        #expect(second.baseSequenceNumber == 2 && second.statusCount == 3 && second.feedbackCount == 1)
        #expect(second.arrivals.map { second.sequenceNumber(of: $0) } == [4])
    }

    @Test("A late packet is reported again with what came after it, duplicates are not news")
    func latePacket() throws {
        var recorder = TransportFeedbackRecorder()
        for number: UInt16 in [10, 12, 13] { recorder.receive(transportSequenceNumber: number, at: at(50)) }
        _ = recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2)
        recorder.receive(transportSequenceNumber: 12, at: at(60))
        #expect(!recorder.hasNews)
        recorder.receive(transportSequenceNumber: 11, at: at(60))
        let feedback = try report(&recorder)
        #expect(feedback.baseSequenceNumber == 11 && feedback.statusCount == 3)
        // The times go back to that of 12.
        #expect(feedback.arrivals.map { feedback.time(of: $0) } == [60, 50, 50].map { .milliseconds($0) })
    }

    @Test("A recorder that repeats tells each arrival twice, so that one lost report loses nothing")
    func repetition() throws {
        var recorder = TransportFeedbackRecorder(repeatsLast: true)
        var told: [UInt16: Int] = [:]
        for step in 0..<10 {
            for offset in 0..<4 { recorder.receive(transportSequenceNumber: UInt16(step * 4 + offset), at: at(step * 40)) }
            let feedback = try report(&recorder)
            for arrival in feedback.arrivals { told[feedback.sequenceNumber(of: arrival), default: 0] += 1 }
        }
        #expect(told.filter { $0.key < 36 }.values.allSatisfy { $0 == 2 })
        #expect(told.count == 40)
    }

    @Test("A report that is long is told once")
    func longReport() throws {
        var recorder = TransportFeedbackRecorder(repeatsLast: true)
        for number in UInt16(0)..<200 { recorder.receive(transportSequenceNumber: number, at: at(10)) }
        _ = try report(&recorder)
        recorder.receive(transportSequenceNumber: 200, at: at(20))
        let feedback = try report(&recorder)
        #expect(feedback.baseSequenceNumber == 200 && feedback.arrivals.count == 1)
    }

    @Test("The last report can be told again as often as one likes, and what comes then is told with it")
    func again() throws {
        var recorder = TransportFeedbackRecorder(repeatsLast: true)
        for number in UInt16(0)..<4 { recorder.receive(transportSequenceNumber: number, at: at(10)) }
        _ = try report(&recorder)
        for _ in 0..<3 {
            let packets = recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2, again: true)
            #expect(packets.map { $0.arrivals.count } == [4])
        }
        recorder.receive(transportSequenceNumber: 4, at: at(20))
        let feedback = try report(&recorder)
        #expect(feedback.baseSequenceNumber == 0 && feedback.arrivals.count == 5)
    }

    @Test("Long and sparse reports are cut into packets below 1200 bytes that parse (seed 8)")
    func manyArrivals() throws {
        var random = SeededGenerator(seed: 8)
        for spacing in [1, 2, 15, 40] {
            var recorder = TransportFeedbackRecorder()
            var expected: [UInt16] = []
            for index in 0..<(2000 / spacing) {
                let number = UInt16(truncatingIfNeeded: 65000 + index * spacing)
                expected.append(number)
                let jitter = Int.random(in: 0..<100, using: &random)
                recorder.receive(transportSequenceNumber: number, at: at(index * 70 + jitter))
            }
            var reported: [UInt16] = []
            for feedback in recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2) {
                var bytes: [UInt8] = []
                feedback.append(to: &bytes)
                #expect(bytes.count < 1200)
                #expect(try parse(feedback) == feedback)
                reported += feedback.arrivals.map { feedback.sequenceNumber(of: $0) }
            }
            #expect(reported == expected)
        }
    }

    @Test("A pause longer than a delta can say begins a packet of its own")
    func longPause() {
        var recorder = TransportFeedbackRecorder()
        recorder.receive(transportSequenceNumber: 1, at: at(0))
        recorder.receive(transportSequenceNumber: 2, at: at(20_000))
        let packets = recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2)
        #expect(packets.map(\.baseSequenceNumber) == [1, 2])
        #expect(packets.flatMap { packet in packet.arrivals.map { packet.time(of: $0) } } == [.zero, .seconds(20)])
    }

    @Test("Numbers that jump wildly never grow the memory of a recorder (seed 3)")
    func hostileNumbers() {
        var random = SeededGenerator(seed: 3)
        var recorder = TransportFeedbackRecorder()
        for step in 0..<2000 {
            recorder.receive(
                transportSequenceNumber: UInt16.random(in: .min ... .max, using: &random), at: at(step))
            if step % 100 == 0 {
                let packets = recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2)
                #expect(packets.reduce(0) { $0 + Int($1.statusCount) } <= 2 * 5000)
            }
        }
    }

    private func report(_ recorder: inout TransportFeedbackRecorder) throws -> TransportFeedback {
        let packets = recorder.makeFeedback(senderSSRC: 1, mediaSSRC: 2)
        return try #require(packets.first)
    }

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func feedback(deltas: [Int64?]) -> TransportFeedback {
        var ticks: Int64 = 0
        var arrivals: [TransportFeedback.Arrival] = []
        for (offset, delta) in deltas.enumerated() {
            guard let delta else { continue }
            ticks += delta
            arrivals.append(.init(offset: UInt16(offset), ticks: ticks))
        }
        return TransportFeedback(
            senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: 65534, statusCount: UInt16(deltas.count),
            referenceTime: -2, feedbackCount: 9, arrivals: arrivals)
    }

    private func parse(_ feedback: TransportFeedback) throws -> TransportFeedback? {
        var bytes: [UInt8] = []
        feedback.append(to: &bytes)
        guard case .transportFeedback(let parsed) = try packets(bytes).first else { return nil }
        return parsed
    }

    @discardableResult
    private func packets(_ bytes: [UInt8]) throws(RTCPError) -> [RTCPPacket] {
        try bytes.read { (span) throws(RTCPError) in try RTCPPacket.packets(span) }
    }
}
