import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("RTCP packets (RFC 3550 § 6, RFC 4585, RFC 5104, RFC 5506)")
struct RTCPTests {
    @Test("A sender report is read field by field", .needsCorpora)
    func senderReport() throws {
        let bytes = try Corpora.file("packets/rtcp_sr.bin")
        let block = ReportBlock(
            ssrc: 2_398_654_957, fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 246, jitter: 127,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        let report = SenderReport(
            ssrc: 1_831_097_322, ntp: NTPTimestamp(bits: 16_016_567_581_311_369_308), rtpTimestamp: 1_722_342_718,
            packetCount: 269, octetCount: 13557, reports: [block])
        #expect(try parse(bytes) == [.senderReport(report)])
        #expect(written { report.append(to: &$0) } == bytes)
    }

    @Test("A receiver report is read field by field", .needsCorpora)
    func receiverReport() throws {
        let bytes = try Corpora.file("packets/rtcp_rr.bin")
        let block = ReportBlock(
            ssrc: 1_200_895_919, fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 630, jitter: 1906,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        let report = ReceiverReport(ssrc: 817_267_719, reports: [block])
        #expect(try parse(bytes) == [.receiverReport(report)])
        #expect(written { report.append(to: &$0) } == bytes)
    }

    @Test("Source descriptions keep the canonical name", .needsCorpora)
    func sourceDescription() throws {
        let bytes = try Corpora.file("packets/rtcp_sdes.bin")
        let description = SourceDescription(
            ssrc: 1_831_097_322, canonicalName: "{63f459ea-41fe-4474-9d33-9707c9ee79d1}")
        #expect(try parse(bytes) == [.sourceDescription(description)])
        #expect(written { description.append(to: &$0) } == bytes)

        let six = try parse(try Corpora.file("rtcp/10.rtcp"))
        let names = ["a", "ab", "abc", "abcd", "abcde", "abcdef"]
        #expect(six == [.sourceDescription(SourceDescription(chunks: names.enumerated().map {
            .init(ssrc: 0x1234_5678 + UInt32($0.offset), canonicalName: $0.element)
        }))])
    }

    @Test("A name for a session is 96 random bits in Base64 (RFC 7022 § 4.2)")
    func randomNames() {
        var random = SeededGenerator(seed: 7022)
        let names = (0..<100).map { _ in SourceDescription.randomName(using: &random) }
        #expect(Set(names).count == 100)
        let lengths = Set(names.map(\.utf8.count))
        let characters = Set(names.joined())
        #expect(lengths == [16] && characters.count == 64)
        #expect(characters.isSuperset(of: "AZaz09+/"))
    }

    @Test("BYE, PLI and NACK of another implementation are read and written alike", .needsCorpora)
    func small() throws {
        let bye = Goodbye(ssrcs: [2_924_645_187])
        #expect(try parse(try Corpora.file("packets/rtcp_bye.bin")) == [.goodbye(bye)])
        #expect(written { bye.append(to: &$0) } == (try Corpora.file("packets/rtcp_bye.bin")))
        #expect(try parse(try Corpora.file("packets/rtcp_bye_no_sources.bin")) == [.goodbye(Goodbye(ssrcs: []))])
        #expect(try parse(try Corpora.file("packets/rtcp_bye_padding.bin")) == [.goodbye(Goodbye(ssrcs: []))])

        let pli = PictureLossIndication(senderSSRC: 1_414_554_213, mediaSSRC: 587_284_409)
        #expect(try parse(try Corpora.file("packets/rtcp_psfb_pli.bin")) == [.pictureLossIndication(pli)])
        #expect(written { pli.append(to: &$0) } == (try Corpora.file("packets/rtcp_psfb_pli.bin")))

        let bytes = try Corpora.file("packets/rtcp_rtpfb.bin")
        guard case .genericNACK(let nack) = try parse(bytes).first else { throw Unexpected() }
        #expect(nack.senderSSRC == 2_336_520_123 && nack.mediaSSRC == 4_145_934_052)
        #expect(
            nack.missing == [
                12, 32, 39, 54, 76, 110, 123, 142, 183, 187, 223, 236, 271, 292,
            ])
        #expect(written { nack.append(to: &$0) } == bytes)
        let repacked = GenericNACK(senderSSRC: nack.senderSSRC, mediaSSRC: nack.mediaSSRC, missing: nack.missing)
        #expect(written { repacked.append(to: &$0) } == bytes)
    }

    @Test("FIR and REMB are read back as they were written")
    func requests() throws {
        let fir = FullIntraRequest(
            senderSSRC: 1, entries: [.init(ssrc: 2, sequenceNumber: 255), .init(ssrc: 3, sequenceNumber: 0)])
        #expect(try parse(written { fir.append(to: &$0) }) == [.fullIntraRequest(fir)])

        for rate: UInt64 in [0, 1, 262_143, 262_144, 4_000_000, 1 << 40] {
            let remb = BitrateEstimate(senderSSRC: 1, bitsPerSecond: rate, ssrcs: [7, 8])
            #expect(try parse(written { remb.append(to: &$0) }) == [.bitrateEstimate(remb)])
        }
        let precise = BitrateEstimate(senderSSRC: 1, bitsPerSecond: 262_145 * 3, ssrcs: [])
        guard case .bitrateEstimate(let read) = try parse(written { precise.append(to: &$0) }).first else {
            throw Unexpected()
        }
        #expect(read.bitsPerSecond <= precise.bitsPerSecond)
        #expect(precise.bitsPerSecond - read.bitsPerSecond < 4)
    }

    @Test("A REMB beyond 64 bits counts as unlimited")
    func endlessEstimate() throws {
        var bytes = written { BitrateEstimate(senderSSRC: 1, bitsPerSecond: 1, ssrcs: []).append(to: &$0) }
        bytes.replaceSubrange(17..<20, with: [0xff, 0xff, 0xff])
        #expect(try parse(bytes) == [.bitrateEstimate(.init(senderSSRC: 1, bitsPerSecond: .max, ssrcs: []))])
    }

    @Test("Lost counts are signed 24-bit numbers")
    func cumulativeLoss() throws {
        for lost: Int32 in [-8_388_608, -1, 0, 1, 8_388_607] {
            let block = ReportBlock(
                ssrc: 1, fractionLost: 255, cumulativeLost: lost, extendedHighestSequenceNumber: 2, jitter: 3,
                lastSenderReport: 4, delaySinceLastSenderReport: 5)
            let report = ReceiverReport(ssrc: 9, reports: [block])
            #expect(try parse(written { report.append(to: &$0) }) == [.receiverReport(report)])
        }
    }

    @Test("A compound packet gives all its parts; APP and XR are passed over")
    func compound() throws {
        let report = ReceiverReport(ssrc: 1)
        let description = SourceDescription(ssrc: 1, canonicalName: "peer")
        let pli = PictureLossIndication(senderSSRC: 1, mediaSSRC: 2)
        var bytes = written {
            report.append(to: &$0)
            description.append(to: &$0)
            pli.append(to: &$0)
        }
        bytes += [0x85, 204, 0, 2, 0, 0, 0, 1, 0x61, 0x62, 0x63, 0x64, 0x80, 207, 0, 0]
        #expect(try parse(bytes) == [
            .receiverReport(report), .sourceDescription(description), .pictureLossIndication(pli),
            .unknown(type: 204, format: 5), .unknown(type: 207, format: 0),
        ])
    }

    @Test("With reduced size, a datagram need not begin with a report")
    func reducedSize() throws {
        let bytes = written { PictureLossIndication(senderSSRC: 1, mediaSSRC: 2).append(to: &$0) }
        #expect(try parse(bytes).count == 1)
    }

    @Test("Unknown feedback formats are passed over")
    func unknownFormats() throws {
        #expect(try parse([0x83, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]) == [.unknown(type: 205, format: 3)])
        #expect(try parse([0x82, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]) == [.unknown(type: 206, format: 2)])
        // Application-layer feedback that is no REMB.
        #expect(try parse([0x8f, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]) == [.unknown(type: 206, format: 15)])
    }

    @Test("Impossible lengths, counts, versions and padding are refused with the reason")
    func refused() {
        #expect(throws: RTCPError.truncated) { try parse([]) }
        #expect(throws: RTCPError.truncated) { try parse([0x80, 201, 0]) }
        #expect(throws: RTCPError.truncated) { try parse([0x80, 201, 0, 1]) }
        #expect(throws: RTCPError.version) { try parse([0x40, 201, 0, 0]) }
        #expect(throws: RTCPError.malformed(.receiverReport)) { try parse([0x81, 201, 0, 1, 0, 0, 0, 1]) }
        #expect(throws: RTCPError.malformed(.senderReport)) { try parse([0x80, 200, 0, 1, 0, 0, 0, 1]) }
        #expect(throws: RTCPError.malformed(.goodbye)) { try parse([0x82, 203, 0, 1, 0, 0, 0, 1]) }
        #expect(throws: RTCPError.malformed(.sourceDescription)) { try parse([0x81, 202, 0, 1, 0, 0, 0, 1]) }
        #expect(throws: RTCPError.malformed(.payloadFeedback)) { try parse([0x81, 206, 0, 1, 0, 0, 0, 1]) }
        #expect(throws: RTCPError.malformed(.transportFeedback)) {
            try parse([0x81, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2])
        }
        #expect(throws: RTCPError.padding) { try parse([0xa0, 203, 0, 1, 0, 0, 0, 0]) }
        #expect(throws: RTCPError.padding) { try parse([0xa0, 203, 0, 1, 0, 0, 0, 8]) }
    }

    @Test("A padded packet hides none of those behind it")
    func paddingBeforeTheLast() throws {
        let padded: [UInt8] = [0xa1, 206, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4]
        let request = RTCPPacket.pictureLossIndication(PictureLossIndication(senderSSRC: 1, mediaSSRC: 2))
        #expect(try parse(padded + [0x80, 207, 0, 0]) == [request, .unknown(type: 207, format: 0)])
        #expect(try parse(padded + padded) == [request, request])
        #expect(throws: RTCPError.padding) { try parse([0xa0, 203, 0, 1, 0, 0, 0, 8] + padded) }
    }

    @Test("A datagram of more packets than allowed, or a NACK of more entries, is refused")
    func tooMany() {
        let empty: [UInt8] = [0x80, 203, 0, 0]
        #expect(throws: Never.self) { try parse(Array(repeatElement(empty, count: 64).joined())) }
        #expect(throws: RTCPError.tooMany) { try parse(Array(repeatElement(empty, count: 65).joined())) }
        var bytes: [UInt8] = [0x81, 205]
        bytes.append(u16: 2 + 1001)
        bytes += [UInt8](repeating: 0, count: 8 + 1001 * 4)
        #expect(throws: RTCPError.tooMany) { try parse(bytes) }
    }

    @Test("Numbers asked for are packed seventeen to an entry, across the wrap too")
    func packing() {
        func entries(_ numbers: [UInt16]) -> [GenericNACK.Entry] {
            GenericNACK(senderSSRC: 0, mediaSSRC: 0, missing: numbers).entries
        }
        #expect(entries([]) == [])
        #expect(entries([5]) == [.init(packetID: 5, following: 0)])
        #expect(entries([5, 6, 21]) == [.init(packetID: 5, following: 0x8001)])
        #expect(entries([5, 22]) == [.init(packetID: 5, following: 0), .init(packetID: 22, following: 0)])
        #expect(entries([65535, 0, 15]) == [.init(packetID: 65535, following: 0x8001)])
        #expect(entries([7, 7]) == [.init(packetID: 7, following: 0)])
    }

    @Test("Any set of numbers survives packing (seed 17)")
    func packingRoundTrip() {
        var random = SeededGenerator(seed: 17)
        for _ in 0..<200 {
            let first = UInt16.random(in: .min ... .max, using: &random)
            let offsets = Set((0..<40).map { _ in UInt16.random(in: 0..<300, using: &random) }).sorted()
            let numbers = offsets.map { first &+ $0 }
            #expect(GenericNACK(senderSSRC: 0, mediaSSRC: 0, missing: numbers).missing == numbers)
        }
    }

    private struct Unexpected: Error {}

    private func written(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        body(&bytes)
        return bytes
    }

    @discardableResult
    private func parse(_ bytes: [UInt8]) throws(RTCPError) -> [RTCPPacket] {
        try bytes.read { (span) throws(RTCPError) in try RTCPPacket.packets(span) }
    }
}
