import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("Redundant audio (RFC 2198)")
struct RedundancyTests {
    @Test("The example of § 7: an LPC copy of 14 bytes before 84 bytes of DVI4")
    func example() throws {
        let copy = (0..<14).map { UInt8($0) }
        let primary = (0..<84).map { UInt8(100 + $0) }
        // |1| block PT=7 | timestamp offset (160: 20 ms at 8 kHz) | block length 14 |, then |0| block PT=5 |.
        let bytes = [0x87, 0x02, 0x80, 0x0e, 0x05] as [UInt8] + copy + primary
        let payload = try #require(read(bytes))
        #expect(payload.payloadType == 5 && payload.redundant.count == 1)
        #expect(payload.redundant[0].payloadType == 7 && payload.redundant[0].timestampOffset == 160)
        #expect(Array(bytes[payload.redundant[0].bytes]) == copy && Array(bytes[payload.primary]) == primary)
    }

    @Test("What is written for two levels is, byte for byte, what § 3 draws")
    func layout() throws {
        var bytes: [UInt8] = [0xee]
        RedundantPayload.append(
            primary: [7, 8, 9], payloadType: 111, redundant: [(1920, [1, 2]), (960, [3])], to: &bytes)
        // 1920 << 10 | 2 = 0x1e0002, 960 << 10 | 1 = 0x0f0001.
        #expect(bytes == [0xee, 0xef, 0x1e, 0x00, 0x02, 0xef, 0x0f, 0x00, 0x01, 0x6f, 1, 2, 3, 7, 8, 9])
        let payload = try #require(read(Array(bytes[1...])))
        #expect(payload.redundant.map(\.timestampOffset) == [1920, 960])
    }

    @Test("The largest fields: 14 bits of offset, 10 of length; more is left out")
    func largest() throws {
        let long = [UInt8](repeating: 5, count: 1023)
        var bytes: [UInt8] = []
        RedundantPayload.append(
            primary: [9], payloadType: 0xff,
            redundant: [(16_384, [1]), (16_383, long), (960, long + [1]), (0, [2]), (-5, [3])], to: &bytes)
        #expect(bytes.prefix(5) == [0xff, 0xff, 0xff, 0xff, 0x7f] && bytes.count == 5 + 1023 + 1)
        let payload = try #require(read(bytes))
        #expect(payload.redundant.count == 1 && payload.redundant[0].timestampOffset == 16_383)
        #expect(payload.redundant[0].bytes.count == 1023 && payload.primary.count == 1)
    }

    @Test("A payload of the primary alone, and an empty one")
    func smallest() throws {
        let payload = try #require(read([0x6f, 1, 2]))
        #expect(payload.redundant.isEmpty && payload.payloadType == 111 && payload.primary == 1..<3)
        #expect(read([0x6f])?.primary.isEmpty == true)
        #expect(read([]) == nil)
    }

    @Test("What ends too early is nothing: headers and blocks cut at every length")
    func truncated() {
        let bytes: [UInt8] = [0xef, 0x1e, 0x00, 0x02, 0xef, 0x0f, 0x00, 0x01, 0x6f, 1, 2, 3, 7]
        for count in 0..<12 { #expect(read(Array(bytes.prefix(count))) == nil, "\(count) bytes") }
        #expect(read(Array(bytes.prefix(12)))?.primary.isEmpty == true)
        let many = (0..<10).flatMap { _ in [0x80, 0, 0, 0] as [UInt8] }
        #expect(read(many + [0]) == nil, "eleven blocks")
        #expect(read(Array(many.prefix(36)) + [0])?.redundant.count == 9)
    }

    @Test("Random bytes never trap, and ranges lie within them (seed 6)")
    func random() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<50_000 {
            var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Plausible lengths, so that blocks are reached.
            for index in stride(from: 2, to: min(bytes.count, 12), by: 4) where random.chance(70) {
                bytes[index] &= 0xfc
                if index + 1 < bytes.count { bytes[index + 1] &= 0x0f }
            }
            let start = Int.random(in: 0...bytes.count, using: &random)
            let payload = bytes.read { RedundantPayload($0, payload: start..<bytes.count) }
            guard let payload else { continue }
            var end = payload.redundant.first?.bytes.lowerBound ?? payload.primary.lowerBound
            for block in payload.redundant {
                #expect(block.bytes.lowerBound == end)
                end = block.bytes.upperBound
            }
            #expect(payload.primary == end..<bytes.count && end > start)
        }
        #expect([1, 2].read { RedundantPayload($0, payload: 1..<3) } == nil)
    }

    @Test("A sender's payloads carry the packets before, across a wrap and not across a long pause")
    func history() throws {
        var history = RedundancyHistory()
        func wrap(_ byte: UInt8, _ timestamp: Int64, levels: Int) -> [(offset: UInt16, bytes: [UInt8])] {
            let bytes = history.wrap([byte], timestamp: timestamp, payloadType: 111, levels: levels)
            guard let payload = read(bytes) else { return [] }
            #expect(Array(bytes[payload.primary]) == [byte])
            return payload.redundant.map { ($0.timestampOffset, Array(bytes[$0.bytes])) }
        }
        #expect(wrap(1, 0, levels: 2).isEmpty)
        #expect(wrap(2, 960, levels: 2).map(\.offset) == [960])
        let both = wrap(3, 1920, levels: 2)
        #expect(both.map(\.offset) == [1920, 960] && both.map(\.bytes) == [[1], [2]])
        #expect(wrap(4, 2880, levels: 1).map(\.bytes) == [[3]])
        #expect(wrap(5, 3840, levels: 0).isEmpty)
        // A pause of 400 ms is more than 14 bits tell.
        #expect(wrap(6, 3840 + 19_200, levels: 2).isEmpty)
        #expect(wrap(7, 3840 + 20_160, levels: 2).map(\.bytes) == [[6]])
    }

    @Test("A packet too long for a copy ends the row, and copies never make a payload too long")
    func row() throws {
        var history = RedundancyHistory()
        _ = history.wrap([UInt8](repeating: 1, count: 300), timestamp: 0, payloadType: 1, levels: 2)
        _ = history.wrap([UInt8](repeating: 2, count: 1024), timestamp: 960, payloadType: 1, levels: 2)
        let third = history.wrap([UInt8](repeating: 3, count: 300), timestamp: 1920, payloadType: 1, levels: 2)
        #expect(read(third)?.redundant.isEmpty == true)
        _ = history.wrap([UInt8](repeating: 4, count: 500), timestamp: 2880, payloadType: 1, levels: 2)
        let fifth = history.wrap([UInt8](repeating: 5, count: 500), timestamp: 3840, payloadType: 1, levels: 2)
        #expect(read(fifth)?.redundant.map(\.bytes.count) == [500] && fifth.count <= 1200)
    }

    private func read(_ bytes: [UInt8]) -> RedundantPayload? {
        bytes.read { RedundantPayload($0, payload: 0..<bytes.count) }
    }
}

@Suite("How many copies loss asks for")
struct RedundancyPolicyTests {
    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test(
        "None below 2 %, one level from there, two from 7 %",
        arguments: [(0.01, 0), (0.03, 1), (0.05, 1), (0.1, 2), (0.5, 2)])
    func levels(loss: Double, expected: Int) {
        var policy = RedundancyPolicy()
        for second in 0..<30 { policy.reported(lossFraction: loss, at: at(second)) }
        #expect(policy.levels == expected)
    }

    @Test("Loss of 10 % has both levels within 5 s, and they end one by one once it has been over for ten seconds each")
    func hysteresis() {
        var policy = RedundancyPolicy()
        for second in 0..<60 { policy.reported(lossFraction: 0, at: at(second)) }
        for second in 60..<65 { policy.reported(lossFraction: 0.1, at: at(second)) }
        #expect(policy.levels == 2)
        var ends: [Int] = []
        for second in 65..<120 {
            let before = policy.levels
            policy.reported(lossFraction: 0, at: at(second))
            if policy.levels < before { ends.append(second) }
        }
        #expect(ends.count == 2 && ends[0] >= 75 && ends[1] - ends[0] >= 10 && policy.levels == 0)
    }

    @Test("Between the thresholds it stays what it is")
    func between() {
        var (rising, falling) = (RedundancyPolicy(), RedundancyPolicy())
        for second in 0..<20 { falling.reported(lossFraction: 0.1, at: at(second)) }
        for second in 20..<120 {
            rising.reported(lossFraction: 0.055, at: at(second))
            falling.reported(lossFraction: 0.055, at: at(second))
        }
        #expect(rising.levels == 1 && falling.levels == 2)
    }

    @Test("One packet lost now and then asks for nothing")
    func single() {
        var policy = RedundancyPolicy()
        var most = 0
        for second in 0..<600 {
            policy.reported(lossFraction: second % 10 == 0 ? 0.02 : 0, at: at(second))
            most = max(most, policy.levels)
        }
        #expect(most == 0)
    }

    @Test("What the bits don't allow is not sent, and nonsense is no loss")
    func budget() {
        var policy = RedundancyPolicy()
        for second in 0..<20 { policy.reported(lossFraction: 0.2, at: at(second)) }
        #expect(policy.levels(bitsPerSecond: 64_000, budget: 500_000) == 2)
        #expect(policy.levels(bitsPerSecond: 64_000, budget: 150_000) == 1)
        #expect(policy.levels(bitsPerSecond: 64_000, budget: 100_000) == 0)
        #expect(policy.levels(bitsPerSecond: 0, budget: 0) == 0)
        var other = RedundancyPolicy()
        for second in 0..<20 { other.reported(lossFraction: [.nan, -3, -.infinity][second % 3], at: at(-second)) }
        #expect(other.levels == 0 && other.loss == 0)
    }
}
