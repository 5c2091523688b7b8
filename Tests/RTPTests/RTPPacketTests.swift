import Datagrams
import RTP
import Testing

@Suite("RTP packets (RFC 3550 § 5.1)")
struct RTPPacketTests {
    @Test("A packet of an audio sender is read field by field", .needsCorpora)
    func plainPacket() throws {
        let bytes = try Corpora.file("packets/rtp.bin")
        let packet = try parse(bytes)
        #expect(packet.header == RTPHeader(
            marker: false, payloadType: 0, sequenceNumber: 15743, timestamp: 3_937_035_252, ssrc: 4_028_317_929))
        #expect(packet.payload == 12..<172)
        #expect(packet.extensionBlock == nil)
    }

    @Test("CSRCs are read in order", .needsCorpora)
    func contributingSources() throws {
        let packet = try parse(try Corpora.file("packets/rtp_with_csrc.bin"))
        #expect(packet.header.csrcs == [2_882_400_001, 3_735_928_559])
        #expect(packet.header.sequenceNumber == 16082)
        #expect(packet.payload == 20..<180)
    }

    @Test("A packet of padding alone has an empty payload", .needsCorpora)
    func paddingOnly() throws {
        let packet = try parse(try Corpora.file("packets/rtp_only_padding.bin"))
        #expect(packet.payload.isEmpty)
        #expect(packet.paddingLength == 224)
        #expect(packet.header.payloadType == 120)
        #expect(packet.header.sequenceNumber == 27759)

        let bytes = try Corpora.file("packets/rtp_only_padding_with_header_extensions.bin")
        let extended = try parse(bytes)
        #expect(extended.payload.isEmpty)
        #expect(extended.extensionBlock == HeaderExtensionBlock(profile: 0xbede, data: 16..<20))
    }

    @Test("Header, CSRCs, extension, payload and padding are told apart", .needsCorpora)
    func everything() throws {
        let bytes = try Corpora.file("rtp/rtp-3")
        let packet = try parse(bytes)
        #expect(String(decoding: bytes[packet.payload], as: UTF8.self) == "payload")
        #expect(packet.paddingLength == 8)
        #expect(packet.header.csrcs.count == 2)
        #expect(packet.extensionBlock?.data.count == 4)
    }

    @Test("What is written is read back, with and without CSRCs and padding")
    func roundTrip() throws {
        var header = RTPHeader(
            marker: true, payloadType: 127, sequenceNumber: 65535, timestamp: .max, ssrc: 0x8000_0001)
        for csrcs in [[], [1, 2, 3], (0..<15).map { UInt32($0) }] {
            header.csrcs = csrcs
            var bytes: [UInt8] = []
            header.append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            // With five bytes of padding, which nothing of ours writes.
            bytes[0] |= 0x20
            bytes += [1, 2, 3] + [0, 0, 0, 0, 5]
            let packet = try parse(bytes)
            #expect(packet.header == header)
            #expect(Array(bytes[packet.payload]) == [1, 2, 3])
            #expect(packet.paddingLength == 5)
        }
    }

    @Test("More than fifteen CSRCs are cut to what the count field can say")
    func tooManySources() throws {
        var bytes: [UInt8] = []
        RTPHeader(
            marker: false, payloadType: 96, sequenceNumber: 1, timestamp: 2, ssrc: 3, csrcs: Array(0..<20)
        ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        #expect(try parse(bytes).header.csrcs == Array(0..<15))
    }

    @Test("Truncated packets are refused at every length")
    func truncated() throws {
        let whole: [UInt8] = [
            0x92, 0x64, 0, 0x58, 0x65, 0x43, 0x12, 0x78, 0x12, 0x34, 0x56, 0x78,  // header
            0, 0, 0, 1, 0, 0, 0, 2,  // CSRCs
            0xbe, 0xde, 0, 1, 0x12, 0, 0x56, 0xce,  // extension
        ]
        #expect(try parse(whole).payload.isEmpty)
        for length in whole.indices {
            #expect(throws: RTPError.truncated) { try parse(Array(whole[..<length])) }
        }
    }

    @Test("Another version, and padding that cannot be, are refused")
    func invalid() {
        let header: [UInt8] = [0xa0, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
        #expect(throws: RTPError.version) { try parse([0x60] + header.dropFirst()) }
        #expect(throws: RTPError.padding) { try parse(header) }
        #expect(throws: RTPError.padding) { try parse(header + [0]) }
        #expect(throws: RTPError.padding) { try parse(header + [0, 3]) }
        #expect(throws: Never.self) { try parse(header + [0, 2]) }
    }

    private func parse(_ bytes: [UInt8]) throws(RTPError) -> RTPPacket {
        try bytes.read { (span) throws(RTPError) in try RTPPacket(span) }
    }
}
