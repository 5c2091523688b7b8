import Datagrams
import TestSupport
import Testing

@testable import RTP

@Suite("Repair packets")
struct FlexFECTests {
    private static let ssrc: UInt32 = 0xAABB_CCDD

    /// Packets of uneven length with everything a header can have.
    private func packets(_ count: Int, from first: UInt16, _ random: inout SeededGenerator) -> [[UInt8]] {
        (0..<count).map { index in
            var bytes: [UInt8] = []
            RTPHeader(
                marker: index == count - 1, payloadType: 96, sequenceNumber: first &+ UInt16(index),
                timestamp: 90_000 &* UInt32(truncatingIfNeeded: random.next()), ssrc: Self.ssrc
            ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            bytes += (0..<Int(1 + random.next() % 1200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            return bytes
        }
    }

    private func repairPackets(of packets: [[UInt8]], from first: UInt16, count: Int) -> [[UInt8]] {
        var encoder = FlexFECEncoder()
        for (index, packet) in packets.enumerated() { encoder.add(packet, sequenceNumber: first &+ UInt16(index)) }
        return encoder.finish(repairPackets: count, isFar: false)
    }

    private func recovered(
        _ packets: [[UInt8]], lost: Set<Int>, _ repairPackets: [[UInt8]], from first: UInt16
    ) -> [[UInt8]] {
        var decoder = FlexFECDecoder(ssrc: Self.ssrc)
        var found: [[UInt8]] = []
        for (index, packet) in packets.enumerated() where !lost.contains(index) {
            found += decoder.receive(packet, sequenceNumber: first &+ UInt16(index))
        }
        for packet in repairPackets { found += decoder.receiveRepairPacket(packet, payload: 0..<packet.count) }
        return found
    }

    @Test("any one lost packet comes back from one repair packet, byte for byte", arguments: 0..<14)
    func one(lost: Int) {
        var random = SeededGenerator(seed: 1)
        let sent = packets(14, from: 65_530, &random)
        let repair = repairPackets(of: sent, from: 65_530, count: 1)
        let isRight = recovered(sent, lost: [lost], repair, from: 65_530) == [sent[lost]]
        #expect(isRight)
    }

    @Test("any run of k packets comes back from k repair packets", arguments: 1...8)
    func run(repairPackets count: Int) {
        var random = SeededGenerator(seed: 2)
        let sent = packets(30, from: 100, &random)
        let made = repairPackets(of: sent, from: 100, count: count)
        #expect(made.count == count)
        for start in 0...(30 - count) {
            let lost = Set(start..<(start + count))
            let found = recovered(sent, lost: lost, made, from: 100)
            let isWhole = Set(found) == Set(lost.map { sent[$0] })
            #expect(isWhole, "from \(start)")
        }
    }

    @Test("of two lost packets anywhere three repair packets bring back nearly all")
    func pairs() {
        var random = SeededGenerator(seed: 3)
        let sent = packets(14, from: 7, &random)
        let made = repairPackets(of: sent, from: 7, count: 3)
        var (whole, all) = (0, 0)
        for first in 0..<14 {
            for second in (first + 1)..<14 {
                all += 1
                if recovered(sent, lost: [first, second], made, from: 7).count == 2 { whole += 1 }
            }
        }
        #expect(Double(whole) / Double(all) > 0.9, "\(whole) of \(all)")
    }

    @Test("a packet that comes late completes an equation")
    func late() {
        var random = SeededGenerator(seed: 4)
        let sent = packets(10, from: 40, &random)
        let repair = repairPackets(of: sent, from: 40, count: 1)
        var decoder = FlexFECDecoder(ssrc: Self.ssrc)
        for index in sent.indices where index != 3 && index != 6 {
            _ = decoder.receive(sent[index], sequenceNumber: 40 + UInt16(index))
        }
        let isEarly = decoder.receiveRepairPacket(repair[0], payload: 0..<repair[0].count).isEmpty
        #expect(isEarly)
        let isRight = decoder.receive(sent[6], sequenceNumber: 46) == [sent[3]]
        #expect(isRight)
    }

    @Test("of more lost packets than there are repair packets those come back that two of them tell apart")
    func overlapping() {
        var random = SeededGenerator(seed: 5)
        let sent = packets(10, from: 40, &random)
        let made = repairPackets(of: sent, from: 40, count: 1) + repairPackets(of: Array(sent[5...]), from: 45, count: 1)
        let isRight = recovered(sent, lost: [2, 6, 7], made, from: 40) == [sent[2]]
        #expect(isRight)
    }

    @Test("what one group's repair packet can't recover comes back with the next group's")
    func sliding() {
        var random = SeededGenerator(seed: 6)
        let sent = packets(20, from: 0, &random)
        var encoder = FlexFECEncoder()
        var decoder = FlexFECDecoder(ssrc: Self.ssrc)
        var found: [[UInt8]] = []
        for (index, packet) in sent.enumerated() {
            encoder.add(packet, sequenceNumber: UInt16(index))
            if index != 2, index != 7 { found += decoder.receive(packet, sequenceNumber: UInt16(index)) }
            guard index % 10 == 9 else { continue }
            // Two in the first group, as the second is worth one and a half.
            for packet in encoder.finish(repairPackets: index == 9 ? 1 : 2, isFar: false) {
                found += decoder.receiveRepairPacket(packet, payload: 0..<packet.count)
            }
        }
        let isWhole = Set(found) == [sent[2], sent[7]]
        #expect(isWhole)
    }

    /// A stream's packets, in pictures with repair packets behind them, from an encoder to a decoder that loses some.
    private struct Stream {
        var encoder = FlexFECEncoder()
        var decoder = FlexFECDecoder(ssrc: FlexFECTests.ssrc)
        /// By the place of the packet in the stream.
        private(set) var missing: [Int: [UInt8]] = [:]
        private var sent = 0

        /// - Parameter loses: by the place in the picture; its repair packets stand behind.
        mutating func send(_ picture: [[UInt8]], repairPackets: Int, loses: (Int) -> Bool) {
            for (place, packet) in picture.enumerated() {
                let number = UInt16(truncatingIfNeeded: sent)
                encoder.add(packet, sequenceNumber: number)
                if loses(place) { missing[sent] = packet } else { take(decoder.receive(packet, sequenceNumber: number)) }
                sent += 1
            }
            for (place, packet) in encoder.finish(repairPackets: repairPackets, isFar: true).enumerated()
            where !loses(picture.count + place) {
                take(decoder.receiveRepairPacket(packet, payload: 0..<packet.count))
            }
        }

        private mutating func take(_ recovered: [[UInt8]]) {
            for packet in recovered {
                missing = missing.filter { $0.value != packet }
            }
        }
    }

    @Test("a run of n lost packets is back n pictures later, though each has one repair packet", arguments: 1...4)
    func runOverPictures(length: Int) {
        var random = SeededGenerator(seed: 11)
        for start in 0...(14 - length) {
            var stream = Stream()
            stream.send(packets(14, from: 0, &random), repairPackets: 1) { _ in false }
            stream.send(packets(14, from: 14, &random), repairPackets: 1) { (start..<(start + length)).contains($0) }
            for picture in 2..<(1 + length) {
                stream.send(packets(14, from: UInt16(14 * picture), &random), repairPackets: 1) { _ in false }
            }
            #expect(stream.missing.isEmpty, "from \(start): \(stream.missing.keys.sorted())")
        }
    }

    @Test("where one packet in ten is lost, three repair packets each make all but few pictures whole within three more")
    func laterPictures() {
        var random = SeededGenerator(seed: 12)
        var stream = Stream()
        var late = 0
        for picture in 0..<600 {
            let sent = packets(14, from: UInt16(14 * picture), &random)
            stream.send(sent, repairPackets: 3) { _ in random.unit() < 0.1 }
            if stream.missing.keys.contains(where: { $0 / 14 == picture - 3 }) { late += 1 }
        }
        // Nothing is sent again here. Where a window covers two pictures only, one of eight is late.
        #expect(late < 45, "\(late) of 600")
    }

    @Test("masks of 15, 46 and 110 packets are read as they were written", arguments: [1, 14, 15, 45, 46, 109])
    func masks(last: Int) throws {
        let header = FlexFECHeader(baseSequenceNumber: 65_000, offsets: Array(Set([0, last / 2, last])).sorted())
        var bytes = [UInt8](repeating: 0, count: FlexFECHeader.recoveryBytes)
        header.append(to: &bytes)
        let read = try #require(bytes.read { FlexFECHeader.read($0, payload: 0..<bytes.count) })
        #expect(read.0 == header)
        #expect(read.1 == bytes.count)
    }

    @Test("what a stranger could write as a repair packet never traps, and recovers nothing that was not sent")
    func garbage() {
        var random = SeededGenerator(seed: 5)
        let sent = packets(10, from: 40, &random)
        let repair = repairPackets(of: sent, from: 40, count: 2)
        for round in 0..<5000 {
            var decoder = FlexFECDecoder(ssrc: Self.ssrc)
            for index in [0, 1, 2, 4, 5, 7] { _ = decoder.receive(sent[index], sequenceNumber: 40 + UInt16(index)) }
            var bytes = repair[round % 2]
            for _ in 0..<(1 + random.next() % 4) {
                bytes[Int(random.next() % UInt64(min(24, bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            if round % 3 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            for packet in decoder.receiveRepairPacket(bytes, payload: 0..<bytes.count) {
                #expect(packet.count >= RTPHeader.fixedSize)
            }
        }
    }

    @Test("a repair packet of packets that nobody else knows of is left out, however many there are")
    func farAway() {
        var random = SeededGenerator(seed: 9)
        let sent = packets(10, from: 100, &random)
        var decoder = FlexFECDecoder(ssrc: Self.ssrc)
        for (index, packet) in sent.enumerated() where index != 4 {
            _ = decoder.receive(packet, sequenceNumber: 100 + UInt16(index))
        }
        for step in 1...100 as ClosedRange<UInt16> {
            let base = 100 &+ step &* 300
            for packet in repairPackets(of: packets(20, from: base, &random), from: base, count: 1) {
                #expect(decoder.receiveRepairPacket(packet, payload: 0..<packet.count).isEmpty)
            }
        }
        let equations = Mirror(reflecting: decoder).descendant("equations") as? any Collection
        #expect(equations?.count == 0)
        let own = repairPackets(of: sent, from: 100, count: 1)
        #expect(own.flatMap { decoder.receiveRepairPacket($0, payload: 0..<$0.count) } == [sent[4]])
    }
}
