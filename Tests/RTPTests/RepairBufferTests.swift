import RTP
import TestSupport
import Testing
import Timebase

@Suite("Repair buffer: reordering and asking again")
struct RepairBufferTests {
    private typealias Buffer = RepairBuffer<Int>

    @Test("On a clean network every packet passes at once, across the wrap")
    func clean() {
        var buffer = Buffer(longestWait: .milliseconds(200), roundTripTime: .milliseconds(50))
        for index in 0..<100 {
            buffer.receive(index, sequenceNumber: UInt16(truncatingIfNeeded: 65500 + index), at: at(index))
            let output = drain(&buffer, at: at(index))
            #expect(output == [.packet(65500 + Int64(index))])
            #expect(buffer.deadline == nil)
        }
        #expect(buffer.requestsMade == 0)
    }

    @Test("Neighbours that change places are put right without a request")
    func smallReorder() {
        var buffer = Buffer(longestWait: .milliseconds(200), roundTripTime: .milliseconds(50))
        let output = [0, 2, 1, 3, 5, 4, 6].map { receive(&buffer, $0, at: at($0)) }
        #expect(output.map(\.count) == [1, 0, 2, 1, 0, 2, 1])
        #expect(buffer.requestsMade == 0)
    }

    @Test("A gap is asked for as soon as two later packets are there, and holds back what is behind it")
    func request() {
        var buffer = Buffer(longestWait: .milliseconds(200), roundTripTime: .milliseconds(50))
        #expect(receive(&buffer, 0, at: at(0)) == [.packet(0)])
        #expect(receive(&buffer, 3, at: at(1)) == [.request([1])])
        #expect(receive(&buffer, 4, at: at(1)) == [.request([2])])
        #expect(receive(&buffer, 2, at: at(40)) == [])
        #expect(receive(&buffer, 1, at: at(51)) == [.packet(1), .packet(2), .packet(3), .packet(4)])
        #expect(buffer.deadline == nil && buffer.packetsLost == 0)
    }

    @Test("With one later packet only, a gap is asked for after a few milliseconds")
    func lateRequest() {
        var buffer = Buffer(longestWait: .milliseconds(200), roundTripTime: .milliseconds(50))
        _ = receive(&buffer, 0, at: at(0))
        #expect(receive(&buffer, 2, at: at(1)) == [])
        #expect(buffer.deadline == at(6))
        #expect(drain(&buffer, at: at(5)) == [])
        #expect(drain(&buffer, at: at(6)) == [.request([1])])
    }

    @Test("It is asked again after a round trip and a little more each, and never sooner than the shortest interval")
    func repeated() {
        for (roundTrip, expected) in [(50, [6, 65, 124, 183]), (1, [6, 16, 26, 36])] {
            var buffer = Buffer(longestWait: .seconds(9), roundTripTime: .milliseconds(roundTrip))
            _ = receive(&buffer, 0, at: at(0))
            _ = receive(&buffer, 2, at: at(1))
            var requests: [Int] = []
            for time in 0...expected[3] where drain(&buffer, at: at(time)) == [.request([1])] { requests.append(time) }
            #expect(requests == expected)
        }
    }

    @Test("After ten requests it is given up, and what is behind it passes")
    func tries() {
        var buffer = Buffer(longestWait: .seconds(9), roundTripTime: .milliseconds(20))
        _ = receive(&buffer, 0, at: at(0))
        _ = receive(&buffer, 2, at: at(0))
        var requests = 0
        var rest: [Event] = []
        for time in 0..<400 {
            for event in drain(&buffer, at: at(time)) {
                if event == .request([1]) { requests += 1 } else { rest.append(event) }
            }
        }
        #expect(requests == 10)
        #expect(rest == [.lost(1..<2), .packet(2)])
        #expect(buffer.deadline == nil && buffer.packetsLost == 1)
    }

    @Test("A gap is given up after the longest wait; each of two gaps has its own")
    func longestWait() {
        var buffer = Buffer(longestWait: .milliseconds(100), roundTripTime: .seconds(5))
        _ = receive(&buffer, 0, at: at(0))
        _ = receive(&buffer, 2, at: at(10))
        _ = receive(&buffer, 4, at: at(40))
        #expect(drain(&buffer, at: at(109)).allSatisfy { $0.isRequest })
        #expect(drain(&buffer, at: at(110)) == [.lost(1..<2), .packet(2)])
        #expect(buffer.deadline == at(140))
        #expect(drain(&buffer, at: at(139)) == [])
        #expect(drain(&buffer, at: at(140)) == [.lost(3..<4), .packet(4)])
        // Too late.
        #expect(receive(&buffer, 1, at: at(141)) == [] && receive(&buffer, 4, at: at(141)) == [])
        #expect(buffer.packetsDropped == 2)
    }

    @Test("What was given up is asked for no more")
    func asksNoMore() {
        var buffer = Buffer(longestWait: .milliseconds(200), roundTripTime: .milliseconds(50))
        _ = receive(&buffer, 0, at: at(0))
        _ = receive(&buffer, 2, at: at(0))
        var events: [Event] = []
        for time in 0..<600 { events += drain(&buffer, at: at(time)) }
        #expect(events.contains(.request([1])))
        #expect(events.suffix(2) == [.lost(1..<2), .packet(2)])
        #expect(buffer.deadline == nil)
    }

    @Test("A packet that fills half of a gap does not make the rest wait longer")
    func partlyFilled() {
        var buffer = Buffer(longestWait: .milliseconds(100), roundTripTime: .seconds(5))
        _ = receive(&buffer, 0, at: at(0))
        _ = receive(&buffer, 6, at: at(10))
        _ = receive(&buffer, 5, at: at(20))
        _ = receive(&buffer, 4, at: at(90))
        _ = receive(&buffer, 2, at: at(90))
        #expect(receive(&buffer, 1, at: at(95)) == [.packet(1), .packet(2)])
        #expect(drain(&buffer, at: at(109)) == [])
        #expect(drain(&buffer, at: at(110)) == [.lost(3..<4), .packet(4), .packet(5), .packet(6)])
    }

    @Test("Duplicates are dropped, held or delivered")
    func duplicates() {
        var buffer = Buffer(longestWait: .milliseconds(100), roundTripTime: .milliseconds(50))
        _ = receive(&buffer, 0, at: at(0))
        #expect(receive(&buffer, 0, at: at(0)) == [])
        _ = receive(&buffer, 2, at: at(0))
        #expect(receive(&buffer, 2, at: at(0)) == [])
        #expect(receive(&buffer, 1, at: at(1)) == [.packet(1), .packet(2)])
        #expect(buffer.packetsDropped == 2)
    }

    @Test("With more missing than can be asked for, nothing is asked and nothing waited for")
    func tooManyMissing() {
        var buffer = Buffer(longestWait: .seconds(9), roundTripTime: .milliseconds(50))
        _ = receive(&buffer, 0, at: at(0))
        let most = receive(&buffer, 1001, at: at(0))
        #expect(most.allSatisfy { $0.isRequest })
        var other = Buffer(longestWait: .seconds(9), roundTripTime: .milliseconds(50))
        _ = receive(&other, 0, at: at(0))
        #expect(receive(&other, 1002, at: at(0)) == [.lost(1..<1002), .packet(1002)])
        #expect(other.deadline == nil && other.requestsMade == 0)
    }

    @Test("What is given up before a keyframe is not asked for any more")
    func abandoned() {
        var buffer = Buffer(longestWait: .seconds(9), roundTripTime: .milliseconds(50))
        _ = receive(&buffer, 0, at: at(0))
        buffer.receive(50, sequenceNumber: 50, at: at(10))
        #expect(buffer.abandon(before: 50) == 50)
        #expect(drain(&buffer, at: at(10)) == [.lost(1..<50), .packet(50)])
        #expect(buffer.deadline == nil && buffer.requestsMade == 0)
    }

    @Test("A jump beyond what is held drops what was waiting, tells of it and goes on")
    func jump() {
        var buffer = ReorderBuffer<Int>(longestWait: .seconds(9), capacity: 8)
        #expect(buffer.insert(0, sequenceNumber: 100, at: .zero) == .accepted)
        _ = buffer.nextOutput(at: .zero)
        _ = buffer.insert(2, sequenceNumber: 102, at: .zero)
        _ = buffer.insert(99, sequenceNumber: 1 << 50, at: .zero)
        var events: [Event] = []
        while let output = buffer.nextOutput(at: .zero) { events.append(Event(output)) }
        #expect(events == [.lost(101..<(1 << 50)), .packet(1 << 50)])
        #expect(buffer.span == 0 && buffer.deadline == nil)
    }

    @Test("Through loss, reordering and duplicates, with repair: in order, each once, nothing lost (seeds 1…20)",
        arguments: UInt64(1)...20)
    func simulation(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var buffer = Buffer(longestWait: .seconds(2), roundTripTime: .milliseconds(40))
        var arriving: [(at: Int, number: Int)] = []
        for number in 0..<600 {
            // The first and last packets come, so that both ends are known.
            if number != 0, number != 599, random.chance(10) { continue }
            arriving.append((number * 2 + 20 + (number == 0 ? 0 : Int.random(in: 0..<8, using: &random)), number))
            if random.chance(5) { arriving.append((number * 2 + 40, number)) }
        }
        var delivered: [Int64] = []
        for time in 0..<3000 {
            for packet in arriving where packet.at == time {
                buffer.receive(
                    packet.number, sequenceNumber: UInt16(truncatingIfNeeded: 65400 + packet.number), at: at(time))
            }
            for event in drain(&buffer, at: at(time)) {
                switch event {
                case .packet(let number): delivered.append(number)
                case .lost: Issue.record("lost at \(time)")
                case .request(let numbers):
                    for number in numbers where !random.chance(10) {
                        arriving.append((time + 40, Int(number &- 65400)))
                    }
                }
            }
        }
        #expect(delivered == (0..<600).map { 65400 + $0 })
    }

    @Test("Numbers that jump wildly never trap nor grow the buffer (seed 9)")
    func hostile() {
        var random = SeededGenerator(seed: 9)
        var buffer = Buffer(longestWait: .milliseconds(100), roundTripTime: .milliseconds(50))
        var delivered = Int64.min
        for step in 0..<5000 {
            let number = UInt16.random(in: .min ... .max, using: &random)
            buffer.receive(step, sequenceNumber: number, at: at(step))
            for event in drain(&buffer, at: at(step)) {
                if case .packet(let number) = event {
                    #expect(number > delivered)
                    delivered = number
                }
            }
        }
    }

    private enum Event: Equatable {
        case packet(Int64)
        case lost(Range<Int64>)
        case request([UInt16])

        init(_ output: ReorderBuffer<Int>.Output) {
            switch output {
            case .packet(let number, _): self = .packet(number)
            case .lost(let range): self = .lost(range)
            }
        }

        var isRequest: Bool {
            if case .request = self { true } else { false }
        }
    }

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func receive(_ buffer: inout Buffer, _ number: UInt16, at now: Instant) -> [Event] {
        buffer.receive(Int(number), sequenceNumber: number, at: now)
        return drain(&buffer, at: now)
    }

    private func receive(_ buffer: inout Buffer, _ number: Int, at now: Instant) -> [Event] {
        receive(&buffer, UInt16(number), at: now)
    }

    private func drain(_ buffer: inout Buffer, at now: Instant) -> [Event] {
        var events: [Event] = []
        while let output = buffer.nextOutput(at: now) {
            switch output {
            case .packet(let number, _): events.append(.packet(number))
            case .lost(let range): events.append(.lost(range))
            case .request(let numbers, _): events.append(.request(numbers))
            }
        }
        return events
    }
}
