import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("Hostile inputs give a result or a typed error")
struct HostileInputTests {
    @Test("Every file of the corpora, as every kind of input", .needsCorpora)
    func corpora() {
        var files = 0
        for folder in ["rtp", "rtcp", "h264-payload", "packets"] {
            for file in Corpora.files(folder) {
                Self.feed(file.bytes)
                files += 1
            }
        }
        #expect(files == 9 + 67 + 2 + 25)
    }

    @Test("Packets called invalid or truncated are refused", .needsCorpora)
    func invalid() throws {
        let names = [
            "bye_invalid", "psfb_invalid", "rr_invalid", "rtpfb_invalid", "sdes_item_truncated",
            "sdes_source_truncated", "sr_invalid",
        ]
        for name in names {
            let bytes = try Corpora.file("packets/rtcp_\(name).bin")
            #expect(throws: RTCPError.self, "\(name)") {
                try bytes.read { (span) throws(RTCPError) in try RTCPPacket.packets(span) }
            }
        }
    }

    @Test("Files of the corpora cut at every length and with changed bytes (seed 1)", .needsCorpora)
    func mutated() {
        var random = SeededGenerator(seed: 1)
        for folder in ["rtp", "rtcp", "h264-payload", "packets"] {
            for file in Corpora.files(folder) where file.bytes.count < 2000 {
                for length in stride(from: 0, to: file.bytes.count, by: 1 + file.bytes.count / 60) {
                    Self.feed(Array(file.bytes[..<length]))
                }
                guard !file.bytes.isEmpty else { continue }
                for _ in 0..<60 {
                    var bytes = file.bytes
                    for _ in 0..<4 {
                        let index = Int.random(in: bytes.indices, using: &random)
                        bytes[index] = random.chance(30) ? 0xff : UInt8.random(in: 0...255, using: &random)
                    }
                    Self.feed(bytes)
                }
            }
        }
    }

    @Test("Random bytes behind plausible beginnings (seed 2)")
    func random() {
        var random = SeededGenerator(seed: 2)
        let beginnings: [[UInt8]] = [
            [], [0x80], [0x90, 96], [0xbf, 0x80 | 96], [0x81, 200], [0x9f, 202], [0x8f, 205], [0x8b, 205],
            [0x8f, 206], [0x81, 205], [0x84, 206], [0x78], [0x7c, 0x85], [0x67], [0x68], [0x65],
        ]
        for _ in 0..<400 {
            for beginning in beginnings {
                let count = Int.random(in: 0...120, using: &random)
                var bytes = beginning + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                if beginning.count == 2, bytes.count >= 4, random.chance(80) {
                    // A true length, so that the body is read.
                    bytes = Array(bytes[..<(bytes.count & ~3)])
                    bytes.set(u16: UInt16(bytes.count / 4 - 1), at: 2)
                }
                Self.feed(bytes)
            }
        }
    }

    /// Bytes through every parser that the network reaches. A trap would end the run.
    private static func feed(_ bytes: [UInt8]) {
        var map = ExtensionMap()
        for (index, known) in HeaderExtension.allCases.enumerated() { map.map(UInt8(index + 1), to: known) }
        bytes.read { span in
            if let packet = try? RTPPacket(span) {
                #expect(packet.payload.upperBound + packet.paddingLength == bytes.count)
                if let block = packet.extensionBlock { _ = try? HeaderExtensions(span, block, map: map) }
                _ = RetransmissionPayload(span, payload: packet.payload)
            }
            if let packets = try? RTCPPacket.packets(span) {
                for case .genericNACK(let nack) in packets { #expect(nack.missing.count <= 17 * bytes.count) }
                for case .transportFeedback(let feedback) in packets { #expect(feedback.arrivals.count <= bytes.count) }
                for case .congestionFeedback(let feedback) in packets {
                    #expect(feedback.reports.map(\.metrics.count).reduce(0, +) <= bytes.count / 2)
                }
            }
            var depacketizer = H264Depacketizer()
            for number in 0..<3 {
                try? depacketizer.receive(
                    span, payload: 0..<bytes.count, sequenceNumber: Int64(number), timestamp: UInt32(number / 2),
                    marker: number > 0)
            }
            var chain = ReferenceChain()
            var repeater = PictureRepeater()
            while let unit = depacketizer.nextAccessUnit() {
                #expect(unit.bytes.count <= 3 * bytes.count)
                _ = chain.judge(unit)
                try? repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
                _ = try? repeater.makeUnit()
            }
        }
        for nalUnit in AnnexB.split(bytes) {
            _ = try? SequenceParameterSet(bytes, nalUnit: nalUnit)
            _ = try? PictureParameterSet(bytes, nalUnit: nalUnit)
        }
    }

    @Test("Packets that lie closer together than sound does are not kept without bound")
    func crowded() {
        var playout = AudioPlayout()
        playout.receive([31 << 3, 0, 0, 0], sequenceNumber: 0, timestamp: 0, at: .zero)
        // Within a second's span there is room for 48,000 of them, in any order.
        for packet in 1...5000 as ClosedRange<Int64> {
            playout.receive([31 << 3, 0, 0, 0], sequenceNumber: packet, timestamp: packet * 7919 % 46_000, at: .zero)
        }
        let statistics = playout.statistics
        #expect(statistics.packetsDiscarded + statistics.packetsDuplicate + statistics.packetsLate >= 4500)
    }
}
