import Datagrams
import RTP
import Testing

@Suite("H.264 depacketizer (RFC 6184 § 7.1)")
struct H264DepacketizerTests {
    @Test("The marker bit ends a unit at once")
    func marker() throws {
        var depacketizer = H264Depacketizer()
        let none = try depacketizer.receive(packet([0x67, 1], 1, marker: false), 1)
        #expect(none.isEmpty)
        let units = try depacketizer.receive(packet([0x65, 0x88, 1], 1, marker: true), 2)
        #expect(units.map(\.content) == [[[0x67, 1], [0x65, 0x88, 1]]])
        #expect(units[0].isKeyframe && units[0].isComplete && units[0].timestamp == 1)
    }

    @Test("Without a marker, the next timestamp ends it, and it is complete where nothing was lost")
    func timestamp() throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x65, 0x88], 1, marker: false), 1)
        let units = try depacketizer.receive(packet([0x41, 0x9a], 2, marker: true), 2)
        #expect(units.map(\.timestamp) == [1, 2])
        #expect(units.map(\.isComplete) == [true, true])
        #expect(units.map(\.isKeyframe) == [true, false])
    }

    @Test("A gap before the end of a unit makes it incomplete")
    func lostTail() throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x65, 0x88], 1, marker: false), 1)
        let units = try depacketizer.receive(packet([0x41, 0x9a], 2, marker: true), 3)
        #expect(units.map(\.isComplete) == [false, true])
        #expect(units.map(\.packetsLostBefore) == [0, 1])
    }

    @Test("A lost fragment takes its NAL unit with it, the others stay")
    func lostFragment() throws {
        for lost in 1...3 {
            var depacketizer = H264Depacketizer()
            let packets = [
                packet([0x06, 5], 1), packet([0x7c, 0x85, 0x88], 1), packet([0x7c, 0x05, 2], 1),
                packet([0x7c, 0x45, 3], 1), packet([0x06, 6], 1, marker: true),
            ]
            var units: [AccessUnit] = []
            for (index, packet) in packets.enumerated() where index != lost {
                units += try depacketizer.receive(packet, Int64(index))
            }
            #expect(units.map(\.content) == [[[0x06, 5], [0x06, 6]]])
            #expect(units.map(\.isComplete) == [false])
        }
    }

    @Test("After a gap, a unit counts as complete only where its first slice begins the picture")
    func uncertainStart() throws {
        // first_mb_in_slice 0 is a single 1 bit.
        for (slice, complete) in [([0x41, 0x9a] as [UInt8], true), ([0x41, 0x4a], false)] {
            var depacketizer = H264Depacketizer()
            _ = try depacketizer.receive(packet([0x41, 0x9a], 1, marker: true), 1)
            let units = try depacketizer.receive(packet(slice, 2, marker: true), 3)
            #expect(units.map(\.isComplete) == [complete])
        }
    }

    @Test("So does the first unit of a stream that is joined")
    func joined() throws {
        for (slice, complete) in [([0x41, 0x9a] as [UInt8], true), ([0x41, 0x4a], false)] {
            var depacketizer = H264Depacketizer()
            let units = try depacketizer.receive(packet(slice, 1, marker: true), 1)
            #expect(units.map(\.isComplete) == [complete])
        }
    }

    @Test("After a gap, a keyframe lacks something where its parameter sets should have been before it")
    func lostParameterSets() throws {
        for (carried, complete) in [(true, false), (false, true)] {
            var depacketizer = H264Depacketizer()
            if carried { _ = try depacketizer.receive(packet([0x67, 1], 1), 0) }
            _ = try depacketizer.receive(packet([0x65, 0x88], 1, marker: true), 1)
            let units = try depacketizer.receive(packet([0x65, 0x88], 2, marker: true), 3)
            #expect(units.map(\.isComplete) == [complete])
        }
    }

    @Test("Two units from one packet both come out")
    func twoUnits() throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x41, 0x9a], 1), 1)
        let units = try depacketizer.receive(packet([0x41, 0x9b], 2, marker: true), 2)
        #expect(units.count == 2)
    }

    @Test("Duplicates and late packets are dropped; a packet of padding alone only counts")
    func duplicates() throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x67, 1], 1), 5)
        _ = try depacketizer.receive(packet([0x67, 1], 1), 5)
        _ = try depacketizer.receive(packet([0x67, 1], 1), 4)
        _ = try depacketizer.receive(packet([], 0, marker: true), 6)
        let units = try depacketizer.receive(packet([0x65, 0x88], 1, marker: true), 7)
        #expect(units.map(\.content) == [[[0x67, 1], [0x65, 0x88]]])
        #expect(units.map(\.isComplete) == [true])
    }

    @Test("Payloads of another implementation give SPS, PPS and a fragmented IDR", .needsCorpora)
    func foreignPayloads() throws {
        var depacketizer = H264Depacketizer()
        for index in 0..<3 {
            let bytes = try Corpora.file("packets/h264_000\(index).bin")
            _ = try depacketizer.receive(packet(bytes, 1), Int64(index))
        }
        let last = try Corpora.file("packets/h264_0003.bin")
        let units = try depacketizer.receive(packet(last, 2, marker: true), 3)
        let types = units[0].nalUnits.map { units[0].type(of: $0) }
        #expect(types == [.sequenceParameterSet, .pictureParameterSet, .idrSlice])
        #expect(units[0].nalUnits.map(\.count) == [14, 4, 1 + 911 + 912])
        #expect(units[0].isKeyframe && units[0].isComplete)
        #expect(units[1].content == [last])
    }

    @Test("Reserved types are ignored, alone, in an aggregate and in fragments", arguments: [
        [[0x60, 1]], [[0x7e, 1]], [[0x7f, 1]], [[0x78, 0, 2, 0x7e, 1, 0, 1, 0x60]], [[0x7c, 0x9e, 1], [0x7c, 0x5e, 1]],
    ] as [[[UInt8]]])
    func reserved(payloads: [[UInt8]]) throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x67, 1], 1), 1)
        _ = try depacketizer.receive(packet([0x7c, 0x85, 0x88], 1), 2)
        var number: Int64 = 2
        for payload in payloads {
            number += 1
            _ = try depacketizer.receive(packet(payload, 1), number)
        }
        let units = try depacketizer.receive(packet([0x7c, 0x45, 7], 1, marker: true), number + 1)
        #expect(units.map(\.content) == [[[0x67, 1], [0x65, 0x88, 7]]] && units.map(\.isComplete) == [true])
    }

    @Test("A unit of nothing but reserved types is none, and what was lost before it is told by the next")
    func nothingButReserved() throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x65, 0x88], 1, marker: true), 1)
        let none = try depacketizer.receive(packet([0x7e, 1], 2, marker: true), 4)
        #expect(none.isEmpty)
        let units = try depacketizer.receive(packet([0x41, 0x9a], 3, marker: true), 5)
        #expect(units.map(\.content) == [[[0x41, 0x9a]]] && units.map(\.packetsLostBefore) == [2])
    }

    @Test("Structures of mode 2 and malformed payloads are refused, and the unit is marked")
    func refused() throws {
        let cases: [([UInt8], H264DepacketizerError)] = [
            ([0x79, 0, 0, 0, 2, 0x65, 1], .unsupportedType(.stapB)),
            ([0x7a, 0, 0], .unsupportedType(.mtap16)),
            ([0x7b, 0, 0], .unsupportedType(.mtap24)),
            ([0x7d, 0x85, 0, 0, 1], .unsupportedType(.fuB)),
            ([0x78], .malformed), ([0x78, 0], .malformed), ([0x78, 0, 0], .malformed),
            ([0x78, 0, 3, 0x65, 1], .malformed), ([0x78, 0xff, 0xff, 0x65], .malformed),
            ([0x78, 0, 2, 0x65, 1, 0], .malformed), ([0x78, 0, 2, 0x7c, 0x85], .malformed),
            ([0x7c], .malformed), ([0x7c, 0x9c, 1], .malformed),
            ([0xe5, 1], .malformed), ([0xfc, 0x85, 1], .malformed),
        ]
        for (payload, error) in cases {
            var depacketizer = H264Depacketizer()
            _ = try depacketizer.receive(packet([0x67, 1], 1), 1)
            #expect(throws: error, "\(payload)") { try depacketizer.receive(packet(payload, 1), 2) }
            let units = try depacketizer.receive(packet([0x65, 0x88], 1, marker: true), 3)
            #expect(units.map(\.isComplete) == [false], "\(payload)")
            #expect(try #require(units.first?.content.last) == [0x65, 0x88])
            let next = try depacketizer.receive(packet([0x41, 0x9a], 2, marker: true), 4)
            #expect(next.map(\.isComplete) == [true])
        }
    }

    @Test("A range outside the packet is refused")
    func foreignRange() throws {
        var depacketizer = H264Depacketizer()
        let bytes: [UInt8] = [0x65, 0x88]
        #expect(throws: H264DepacketizerError.malformed) {
            try bytes.read { (span) throws(H264DepacketizerError) in
                try depacketizer.receive(span, payload: 0..<3, sequenceNumber: 1, timestamp: 1, marker: true)
            }
        }
    }

    @Test("A unit of more bytes than allowed is dropped whole; the next one is unharmed")
    func tooLarge() throws {
        var depacketizer = H264Depacketizer()
        let fragment = [UInt8](repeating: 7, count: 60_000)
        var errors: [H264DepacketizerError] = []
        for index in 0..<80 {
            let header: [UInt8] = [0x7c, index == 0 ? 0x85 : 0x05]
            do throws(H264DepacketizerError) {
                _ = try depacketizer.receive(packet(header + fragment, 1), Int64(index))
            } catch {
                errors.append(error)
            }
        }
        #expect(errors == [.unitTooLarge])
        let units = try depacketizer.receive(packet([0x65, 0x88], 2, marker: true), 80)
        #expect(units.map(\.isComplete) == [false, true])
        #expect(units[0].bytes.isEmpty && units[0].nalUnits.isEmpty)
    }

    @Test("A unit of more NAL units than allowed is dropped whole")
    func tooMany() throws {
        var depacketizer = H264Depacketizer()
        let aggregate: [UInt8] = [0x78] + Array(repeatElement([0, 1, 0x06] as [UInt8], count: 400).joined())
        _ = try depacketizer.receive(packet(aggregate, 1), 0)
        _ = try depacketizer.receive(packet(aggregate, 1), 1)
        #expect(throws: H264DepacketizerError.unitTooLarge) { try depacketizer.receive(packet(aggregate, 1), 2) }
        let units = try depacketizer.receive(packet([0x06, 1], 1, marker: true), 3)
        #expect(units.map(\.nalUnits) == [[]] && units.map(\.isComplete) == [false])
    }

    @Test("Units that nobody takes are not heaped up, and the loss is told")
    func notDrained() throws {
        var depacketizer = H264Depacketizer()
        for number in 0..<20 {
            let bytes: [UInt8] = [0x41, 0x9a]
            try bytes.read { (span) throws(H264DepacketizerError) in
                try depacketizer.receive(
                    span, payload: 0..<2, sequenceNumber: Int64(number), timestamp: UInt32(number), marker: true)
            }
        }
        let units = depacketizer.drain()
        #expect(units.map(\.timestamp) == [16, 17, 18, 19])
        #expect(units.last?.isComplete == false)
    }

    @Test("A fragment that is still open where its unit ends is left out, and the unit is incomplete")
    func openFragment() throws {
        var depacketizer = H264Depacketizer()
        _ = try depacketizer.receive(packet([0x06, 1], 1), 1)
        _ = try depacketizer.receive(packet([0x7c, 0x85, 0x88], 1), 2)
        let units = try depacketizer.receive(packet([0x41, 0x9a], 2, marker: true), 3)
        #expect(units.map(\.content) == [[[0x06, 1]], [[0x41, 0x9a]]])
        #expect(units.map(\.isComplete) == [false, true])
        #expect(units[0].bytes == [0x06, 1])
    }

    @Test("A keyframe begins with a sequence parameter set, in one packet also behind a delimiter", arguments: [
        ([0x67, 1], true), ([0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1], true),
        ([0x78, 0, 2, 0x09, 0xF0, 0, 2, 0x67, 1, 0, 2, 0x68, 1], true),
        ([0x78, 0, 2, 0x09, 0xF0, 0, 2, 0x06, 5, 0, 2, 0x67, 1], true),
        ([0x78, 0, 2, 0x09, 0xF0, 0, 2, 0x41, 0x9A], false), ([0x78, 0, 2, 0x41, 0x9A, 0, 2, 0x67, 1], false),
        ([0x78, 0, 2, 0x09, 0xF0], false), ([0x78, 0, 9, 0x09], false), ([0x78, 0, 0, 0x67], false), ([0x78], false),
        ([0x41, 0x9A], false),
    ] as [([UInt8], Bool)])
    func beginning(payload: [UInt8], begins: Bool) {
        let isKnown = payload.read { H264Depacketizer.beginsKeyframe($0, payload: payload.indices) }
        #expect(isKnown == begins)
    }

    @Test("None begins with a packet of padding alone, whatever that is filled with")
    func padding() {
        let padding = [UInt8](repeating: 7, count: 7)
        #expect(!padding.read { H264Depacketizer.beginsKeyframe($0, payload: 0..<0) })
    }

    private func packet(_ payload: [UInt8], _ timestamp: UInt32, marker: Bool = false) -> TestStream.Packet {
        TestStream.Packet(payload: payload, sequenceNumber: 0, timestamp: timestamp, marker: marker)
    }
}
