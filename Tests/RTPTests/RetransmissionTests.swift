import Datagrams
import Testing
import Timebase

@testable import RTP

@Suite("Retransmission: a sender's history and RTX (RFC 4588)")
struct RetransmissionTests {
    private let roundTrip: Duration = .milliseconds(50)

    @Test("What was sent is found by its number on the wire, across the wrap")
    func lookup() throws {
        var history = RetransmissionHistory()
        let unit = unit(payloads: 10, size: 5)
        for index in 0..<10 {
            history.record(sequenceNumber: 65530 + Int64(index), unit: unit, payloadIndex: index, at: .zero)
        }
        for (number, index) in [(UInt16(65530), 0), (65535, 5), (0, 6), (3, 9)] {
            let packet = try #require(resend(&history, number, at: .zero).packet)
            #expect(packet.payloadIndex == index && packet.unit === unit)
            #expect(Array(packet.payload) == [UInt8](repeating: UInt8(index), count: 5))
            #expect(packet.isMarked == (index == 9))
        }
        for number: UInt16 in [65529, 4, 30_000] { #expect(resend(&history, number, at: .zero).isUnknown) }
    }

    @Test("What is remembered of a packet takes 48 bytes")
    func size() {
        #expect(RetransmissionHistory.bytesOfEntry == 48)
    }

    @Test("A packet is sent again once in a round trip")
    func oncePerRoundTrip() {
        var history = RetransmissionHistory()
        history.record(sequenceNumber: 7, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        let answers = [0, 1, 49, 50, 60, 100].map { time in
            let answer = resend(&history, 7, at: at(time)).name
            history.left(7, at: at(time))
            return answer
        }
        #expect(answers == ["resend", "tooSoon", "tooSoon", "resend", "tooSoon", "resend"])
    }

    @Test("What is known to have been lost again, with all its copies, is sent again at once")
    func lostAgain() {
        var history = RetransmissionHistory()
        history.record(sequenceNumber: 7, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        var lost: Set<Int64> = []
        func ask(at time: Int) -> String {
            history.resend(7, at: at(time), pause: roundTrip, isLost: { lost.contains($0) }, budget: { _ in true }).name
        }
        #expect(ask(at: 0) == "resend")
        history.left(7, as: 500, at: at(1))
        history.left(7, as: 503, at: at(5))
        #expect(ask(at: 10) == "tooSoon")
        lost = [500]
        #expect(ask(at: 11) == "tooSoon", "the copy is under way")
        lost = [500, 503]
        #expect(ask(at: 12) == "resend")
        #expect(ask(at: 13) == "tooSoon", "it is about to leave")
        history.left(7, as: 509, at: at(14))
        #expect(ask(at: 15) == "tooSoon")
        #expect(ask(at: 64) == "resend", "nobody knows what became of it")
    }

    @Test("A copy that left before it was sent once more says nothing of that")
    func earlierCopy() {
        var history = RetransmissionHistory()
        history.record(sequenceNumber: 7, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        var lost: Set<Int64> = []
        func ask(at time: Int) -> String {
            history.resend(7, at: at(time), pause: roundTrip, isLost: { lost.contains($0) }, budget: { _ in true }).name
        }
        #expect(ask(at: 0) == "resend")
        history.left(7, as: 500, at: at(1))
        history.left(7, as: 503, at: at(5))
        // Of the copy nothing is told by then: the round trip is over.
        #expect(ask(at: 60) == "resend")
        history.left(7, as: 509, at: at(61))
        lost = [509]
        #expect(ask(at: 70) == "resend")
    }

    @Test("How long ago a packet was sent again is told with it")
    func since() {
        var history = RetransmissionHistory()
        history.record(sequenceNumber: 7, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        var told: [Duration?] = []
        for time in [10, 70] {
            guard case .resend(_, let since, _) = resend(&history, 7, at: at(time)) else { continue }
            history.left(7, at: at(time))
            told.append(since)
        }
        #expect(told == [nil, .milliseconds(60)])
    }

    @Test("The budget is asked for the bytes, last of all, and a refusal doesn't count as sent")
    func budget() {
        var history = RetransmissionHistory()
        history.record(sequenceNumber: 7, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        var asked: [Int] = []
        func ask(_ number: UInt16, _ allow: Bool) -> String {
            history.resend(number, at: .zero, pause: roundTrip) {
                asked.append($0)
                return allow
            }.name
        }
        let answers = [ask(8, true), ask(7, false), ask(7, true), ask(7, true)]
        #expect(answers == ["unknown", "refused", "resend", "tooSoon"])
        #expect(asked == [5, 5])
    }

    @Test("Packets, bytes and age are bounded; the oldest go first")
    func bounds() {
        var few = RetransmissionHistory(maximumPackets: 3)
        var small = RetransmissionHistory(maximumBytes: 30)
        var brief = RetransmissionHistory(maximumAge: .milliseconds(100))
        let unit = unit(payloads: 1, size: 10)
        for number in 0..<6 {
            few.record(sequenceNumber: Int64(number), unit: unit, payloadIndex: 0, at: at(number * 50))
            small.record(sequenceNumber: Int64(number), unit: unit, payloadIndex: 0, at: at(number * 50))
            brief.record(sequenceNumber: Int64(number), unit: unit, payloadIndex: 0, at: at(number * 50))
        }
        #expect([few.count, small.count, brief.count] == [3, 3, 3])
        for number in 0..<3 {
            #expect(resend(&few, UInt16(number), at: at(250)).isUnknown)
            #expect(resend(&small, UInt16(number), at: at(250)).isUnknown)
            #expect(resend(&brief, UInt16(number), at: at(250)).isUnknown)
        }
        #expect(resend(&brief, 3, at: at(250)).packet != nil)
        #expect(resend(&brief, 4, at: at(301)).isUnknown)
    }

    @Test("Numbers that were skipped are unknown, those around them are kept")
    func skippedNumbers() {
        var history = RetransmissionHistory()
        let unit = unit(payloads: 1, size: 10)
        for number: Int64 in [1, 4, 3, 5] {
            history.record(sequenceNumber: number, unit: unit, payloadIndex: 0, at: .zero)
        }
        let answers = (1...5).map { resend(&history, UInt16($0), at: .zero).name }
        #expect(answers == ["resend", "unknown", "unknown", "resend", "resend"])
        history.record(sequenceNumber: 1 << 40, unit: unit, payloadIndex: 0, at: .zero)
        #expect(history.count == 1)
    }

    @Test("After a pause nothing from before is there")
    func purge() {
        var history = RetransmissionHistory()
        history.record(sequenceNumber: 7, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        history.removeAll()
        #expect(history.count == 0 && resend(&history, 7, at: .zero).isUnknown)
        history.record(sequenceNumber: 8, unit: unit(payloads: 1, size: 5), payloadIndex: 0, at: .zero)
        #expect(resend(&history, 8, at: .zero).packet != nil)
    }

    @Test("An RTX payload carries the original number and payload")
    func payload() throws {
        var packet: [UInt8] = [9, 9]
        RetransmissionPayload.append(originalSequenceNumber: 65535, payload: [1, 2, 3], to: &packet)
        #expect(packet == [9, 9, 255, 255, 1, 2, 3])
        let parsed = packet.read { RetransmissionPayload($0, payload: 2..<7) }
        let payload = try #require(parsed)
        #expect(payload.originalSequenceNumber == 65535 && payload.payload == 4..<7)
        #expect(packet.read { RetransmissionPayload($0, payload: 2..<4)?.payload } == 4..<4)
        for range in [2..<3, 7..<7, 5..<9] { #expect(packet.read { RetransmissionPayload($0, payload: range) } == nil) }
    }

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func resend(
        _ history: inout RetransmissionHistory, _ number: UInt16, at now: Instant
    ) -> RetransmissionHistory.Answer {
        history.resend(number, at: now, pause: roundTrip) { _ in true }
    }

    private func unit(payloads: Int, size: Int) -> PacketizedUnit {
        PacketizedUnit(
            bytes: (0..<payloads).flatMap { [UInt8](repeating: UInt8($0), count: size) },
            payloads: (0..<payloads).map { $0 * size..<($0 + 1) * size }, mediaTime: MediaTime(ticks: 0),
            capturedAt: .zero, isKeyframe: false, isReference: true)
    }
}

extension RetransmissionHistory.Answer {
    fileprivate var packet: RetransmissionHistory.Packet? {
        if case .resend(let packet, _, _) = self { packet } else { nil }
    }

    fileprivate var isUnknown: Bool { name == "unknown" }

    fileprivate var name: String {
        switch self {
        case .resend: "resend"
        case .unknown: "unknown"
        case .tooSoon: "tooSoon"
        case .refused: "refused"
        }
    }
}
