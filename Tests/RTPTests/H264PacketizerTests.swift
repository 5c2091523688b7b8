import RTP
import Testing
import Timebase

@Suite("H.264 packetizer (RFC 6184 § 5.6 to § 5.8)")
struct H264PacketizerTests {
    @Test("A NAL unit that fits is a payload of its own, byte for byte")
    func single() throws {
        let unit = unit([nalUnit(0x41, 1139)])
        let packetized = try H264Packetizer(mode: .nonInterleaved).packetize(unit)
        #expect(packetized.payloads == [0..<1140])
        #expect(packetized.bytes == unit.bytes)
        #expect(packetized.isMarked(0))
    }

    @Test("SPS, PPS and a small IDR share one STAP-A with the highest reference value")
    func aggregate() throws {
        let unit = unit([[0x67, 1, 2], [0x28, 3], [0x05, 9, 9, 9]])
        let packetized = try H264Packetizer(mode: .nonInterleaved).packetize(unit)
        #expect(packetized.bytes == [0x78, 0, 3, 0x67, 1, 2, 0, 2, 0x28, 3, 0, 4, 0x05, 9, 9, 9])
        #expect(packetized.payloads == [0..<16])
    }

    @Test("A STAP-A holds nine NAL units at most")
    func aggregateCount() throws {
        let units = [[UInt8]](repeating: [0x06, 1], count: 21)
        let packetized = try H264Packetizer(mode: .nonInterleaved).packetize(unit(units))
        #expect(packetized.payloads.map(\.count) == [1 + 9 * 4, 1 + 9 * 4, 1 + 3 * 4])
    }

    @Test("A STAP-A fills a payload exactly, and not by one byte more")
    func aggregateSize() throws {
        let packetizer = H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: 100)
        let exact = try packetizer.packetize(unit([nalUnit(0x61, 46), nalUnit(0x61, 47)]))
        #expect(exact.payloads.map(\.count) == [100])
        let larger = try packetizer.packetize(unit([nalUnit(0x61, 47), nalUnit(0x61, 47)]))
        #expect(larger.payloads.map(\.count) == [48, 48])
    }

    @Test("Fragments are equal in size, the last one smaller by less than the number of fragments")
    func evenFragments() throws {
        for limit in [100, 576, 1200, 9000] {
            let packetizer = H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: limit)
            for size in [limit, limit + 1, 2 * limit, 10_000, 65_537, 123_456] {
                let packetized = try packetizer.packetize(unit([nalUnit(0x65, size)]))
                let sizes = packetized.payloads.map(\.count)
                let total = size + 1
                if total <= limit {
                    #expect(sizes == [total])
                    continue
                }
                // As few as possible, and all of one size.
                #expect(sizes.count == (size + limit - 3) / (limit - 2))
                #expect(Set(sizes.dropLast()).count <= 1)
                let last = try #require(sizes.last), first = sizes[0]
                #expect(first <= limit && last > 2 && last <= first && first - last < sizes.count)
            }
        }
    }

    @Test("FU-A headers carry reference value, type, and the start and end bits once each")
    func fragmentHeaders() throws {
        let packetized = try H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: 100)
            .packetize(unit([nalUnit(0x65, 250)]))
        let headers = packetized.payloads.map { Array(packetized.bytes[$0].prefix(2)) }
        #expect(headers == [[0x7c, 0x85], [0x7c, 0x05], [0x7c, 0x45]])
        #expect((0..<3).map { packetized.isMarked($0) } == [false, false, true])
    }

    @Test("Mode 0 gives one payload for each NAL unit, and refuses one that doesn't fit")
    func singleMode() throws {
        let packetizer = H264Packetizer(mode: .singleNALUnit)
        let packetized = try packetizer.packetize(unit([[0x67, 1], [0x68, 2], nalUnit(0x65, 1139)]))
        #expect(packetized.payloads.map(\.count) == [2, 2, 1140])
        #expect(throws: H264PacketizerError.nalUnitTooLarge(bytes: 1141)) {
            try packetizer.packetize(unit([nalUnit(0x65, 1140)]))
        }
    }

    @Test("Ranges that are empty or outside, and types of RTP's own, are refused")
    func refused() {
        let packetizer = H264Packetizer(mode: .nonInterleaved)
        for range in [0..<0, 2..<4, -1..<2] {
            #expect(throws: H264PacketizerError.notANALUnit) {
                try packetizer.packetize(
                    [0x65, 1, 2], nalUnits: [0..<2, range], mediaTime: MediaTime(ticks: 0), capturedAt: .zero,
                    isKeyframe: true, isReference: true)
            }
        }
        for header: UInt8 in [0x60, 0x78, 0x7c, 0x7f] {
            #expect(throws: H264PacketizerError.notANALUnit) { try packetizer.packetize(unit([[header, 1]])) }
        }
    }

    @Test("An absurd payload size is raised to one that works")
    func tinyPayloads() throws {
        let packetizer = H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: -5)
        #expect(packetizer.maximumPayloadSize == 16)
        #expect(try packetizer.packetize(unit([nalUnit(0x65, 100)])).payloads.allSatisfy { $0.count <= 16 })
    }

    /// A header and `count` bytes after it.
    private func nalUnit(_ header: UInt8, _ count: Int) -> [UInt8] {
        [header] + (0..<count).map { UInt8(truncatingIfNeeded: $0 | 1) }
    }

    private func unit(_ nalUnits: [[UInt8]]) -> TestStream.Unit {
        var unit = TestStream.Unit()
        for nalUnit in nalUnits { unit.append(nalUnit) }
        return unit
    }
}
