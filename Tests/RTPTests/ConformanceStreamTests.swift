import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("H.264 conformance streams", .needsCorpora)
struct ConformanceStreamTests {
    struct Stream: Sendable, CustomTestStringConvertible {
        let name: String
        let stream: TestStream
        var testDescription: String { name }
    }

    static let streams = Corpora.files("h264-streams").map {
        Stream(name: $0.name, stream: TestStream(annexB: $0.bytes))
    }

    @Test("All 28 are there")
    func count() {
        #expect(Self.streams.count == 28)
        #expect(Self.streams.allSatisfy { $0.stream.units.count > 1 })
    }

    @Test("Each comes back NAL unit by NAL unit at every payload size", arguments: streams, [100, 576, 1200, 9000])
    func identity(_ stream: Stream, _ size: Int) throws {
        let packetizer = H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: size)
        // Sequence numbers and timestamps wrap on the way.
        let packets = try stream.stream.packets(packetizer, firstSequenceNumber: 65530, firstTimestamp: .max - 10_000)
        #expect(packets.allSatisfy { $0.payload.count <= size })
        let units = try deliver(packets)
        #expect(units.count == stream.stream.units.count)
        #expect(!units.contains { !$0.isComplete })
        for (unit, original) in zip(units, stream.stream.units) {
            #expect(unit.content == original.content)
            #expect(unit.isKeyframe == original.isKeyframe)
        }
    }

    @Test("Reordered within a few packets, each comes back whole through the repair buffer", arguments: streams)
    func reordered(_ stream: Stream) throws {
        var random = SeededGenerator(seed: 5)
        var packets = try stream.stream.packets(
            H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: 300), firstSequenceNumber: 65000)
        for index in packets.indices.dropFirst(4) where random.chance(20) {
            packets.swapAt(index, index - Int.random(in: 1...3, using: &random))
        }
        // The first packet is what a receiver starts from.
        if let start = packets.firstIndex(where: { $0.sequenceNumber == 65000 }) { packets.swapAt(0, start) }
        var buffer = RepairBuffer<TestStream.Packet>(longestWait: .milliseconds(100), roundTripTime: .milliseconds(50))
        var depacketizer = H264Depacketizer()
        var units: [AccessUnit] = []
        var now = Instant.zero
        for packet in packets {
            now += .microseconds(10)
            buffer.receive(packet, sequenceNumber: packet.sequenceNumber, at: now)
            while let output = buffer.nextOutput(at: now) {
                if case .packet(let number, let packet) = output { units += try depacketizer.receive(packet, number) }
            }
        }
        #expect(buffer.packetsLost == 0)
        #expect(units.map(\.content) == stream.stream.units.map(\.content))
        #expect(!units.contains { !$0.isComplete })
    }

    @Test("With loss nothing traps, and what is called complete has all its slices", arguments: streams, [2, 20])
    func loss(_ stream: Stream, _ percent: Int) throws {
        var random = SeededGenerator(seed: UInt64(percent))
        let packets = try stream.stream.packets(
            H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: 200), firstSequenceNumber: 60_000)
        let lost = Set(packets.indices.filter { _ in random.chance(percent) })
        let damaged = Set(lost.map { packets[$0].timestamp })
        let units = try deliver(packets, without: lost)
        for unit in units {
            let original = stream.stream.units[Int(unit.timestamp / 3000)]
            if unit.isComplete {
                #expect(pictures(unit.content) == pictures(original.content))
            }
            if !damaged.contains(unit.timestamp), unit.packetsLostBefore == 0 {
                #expect(unit.isComplete && unit.content == original.content)
            }
        }
        #expect(units.contains { !$0.isComplete } || lost.isEmpty)
    }

    @Test("Every slice header is read, and without loss no picture lacks a reference", arguments: streams)
    func referenceChain(_ stream: Stream) throws {
        var chain = ReferenceChain()
        for unit in try deliver(try stream.stream.packets(H264Packetizer(mode: .nonInterleaved))) {
            #expect(chain.judge(unit) == .decodable)
        }
        #expect(!chain.needsKeyframe)
    }

    @Test("Every parameter set is read", arguments: streams)
    func parameterSets(_ stream: Stream) throws {
        var sets = ParameterSets()
        for unit in stream.stream.units {
            for nalUnit in unit.nalUnits { try sets.read(unit.bytes, nalUnit: nalUnit) }
        }
    }

    private func pictures(_ nalUnits: [[UInt8]]) -> [[UInt8]] {
        nalUnits.filter { NALUnitType(header: $0[0]).isPicture }
    }

    private func deliver(_ packets: [TestStream.Packet], without lost: Set<Int> = []) throws -> [AccessUnit] {
        var depacketizer = H264Depacketizer()
        var unwrapper = Unwrapper<UInt16>()
        var units: [AccessUnit] = []
        for (index, packet) in packets.enumerated() where !lost.contains(index) {
            units += try depacketizer.receive(packet, unwrapper.unwrap(packet.sequenceNumber))
        }
        return units
    }
}
