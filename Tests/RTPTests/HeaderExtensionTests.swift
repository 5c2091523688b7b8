import Datagrams
import RTP
import Testing
import Timebase

@Suite("RTP header extensions (RFC 8285)")
struct HeaderExtensionTests {
    private static let all: ExtensionMap = {
        var map = ExtensionMap()
        for (index, known) in HeaderExtension.allCases.enumerated() { map.map(UInt8(index + 1), to: known) }
        return map
    }()

    private static let full: HeaderExtensions = {
        var extensions = HeaderExtensions()
        extensions.mid = "0"
        extensions.rtpStreamID = "hi"
        extensions.repairedRTPStreamID = "sixteen-bytes-ok"
        extensions.absoluteSendTime = AbsoluteSendTime(bits: 0xabcdef)
        extensions.transportSequenceNumber = 65535
        extensions.playoutDelay = PlayoutDelay(minimum: 0, maximum: 0xfff)
        extensions.videoContentType = .screen
        extensions.absoluteCaptureTime = AbsoluteCaptureTime(
            captured: NTPTimestamp(bits: 0x0123_4567_89ab_cdef), estimatedClockOffset: -5)
        extensions.videoOrientation = VideoOrientation(isFlipped: true, quarterTurns: 3)
        extensions.transmissionOffset = -8_388_608
        extensions.audioLevel = AudioLevel(hasVoice: true, level: 127)
        return extensions
    }()

    @Test("pictures wait for the sound's way and a browser's jitter buffer, a quarter of a second at most, and have room")
    func lipSync() {
        for (delay, tens) in [(0, 4), (22, 6), (25, 7), (42, 8), (49, 9), (900, 25), (-900, 0)] {
            let told = PlayoutDelay.lipSync(soundDelay: .milliseconds(delay))
            #expect(told == PlayoutDelay(minimum: UInt16(tens), maximum: 50), "\(delay)")
        }
    }

    @Test("Every extension is read back as it was written, in whole words")
    func roundTrip() throws {
        let bytes = write(Self.full, Self.all)
        #expect(bytes.count % 4 == 0)
        #expect(try read(bytes, Self.all) == Self.full)
    }

    @Test("Only what is negotiated is written; with nothing to write there is no block and no X bit")
    func negotiated() throws {
        var map = ExtensionMap()
        map.map(3, to: .absoluteSendTime)
        map.map(9, to: .mid)
        let bytes = write(Self.full, map)
        #expect(bytes.count == 12 + 4 + 8)
        let extensions = try read(bytes, map)
        var expected = HeaderExtensions()
        (expected.mid, expected.absoluteSendTime) = ("0", Self.full.absoluteSendTime)
        #expect(extensions == expected)

        let none = write(Self.full, ExtensionMap())
        #expect(none.count == 12 && none[0] == 0x80)
    }

    @Test("abs-send-time is 6.18 fixed point and wraps at 64 s")
    func sendTime() {
        #expect(AbsoluteSendTime(Instant(nanoseconds: 0)).bits == 0)
        #expect(AbsoluteSendTime(Instant(nanoseconds: 1_000_000_000)).bits == 1 << 18)
        #expect(AbsoluteSendTime(Instant(nanoseconds: 1_500_000_000)).bits == 3 << 17)
        #expect(AbsoluteSendTime(Instant(nanoseconds: 64_000_000_000)).bits == 0)
        #expect(AbsoluteSendTime(Instant(nanoseconds: 63_999_999_999)).bits == 0xff_ffff)
        #expect(AbsoluteSendTime(.distantFuture).bits <= 0xff_ffff)
    }

    @Test("A mid that the one-byte form cannot carry is not written")
    func longIdentifier() throws {
        for mid in ["", "seventeen-bytes-x"] {
            var extensions = HeaderExtensions()
            extensions.mid = mid
            #expect(write(extensions, Self.all).count == 12)
        }
    }

    @Test("A browser's packet gives its mid", .needsCorpora)
    func browserPacket() throws {
        var map = ExtensionMap()
        map.map(9, toURI: "urn:ietf:params:rtp-hdrext:sdes:mid")
        #expect(try read(try Corpora.file("packets/rtp_with_sdes_mid.bin"), map).mid == "0")
    }

    @Test("The two-byte form is read as well")
    func twoByteForm() throws {
        var map = ExtensionMap()
        map.map(1, to: .transportSequenceNumber)
        map.map(2, to: .mid)
        let block: [UInt8] = [0x10, 0x0f, 0, 3, 0, 1, 2, 0x12, 0x34, 200, 0, 2, 3, 0x61, 0x62, 0x63]
        let extensions = try read(Self.header + block, map)
        #expect(extensions.transportSequenceNumber == 0x1234)
        #expect(extensions.mid == "abc")
    }

    @Test("Id 15 ends the block, and what came before it counts")
    func reservedIdentifier() throws {
        var map = ExtensionMap()
        map.map(1, to: .videoContentType)
        map.map(2, to: .mid)
        let block: [UInt8] = [0xbe, 0xde, 0, 2, 0x10, 1, 0xff, 0x20, 0x61, 0, 0, 0]
        let extensions = try read(Self.header + block, map)
        #expect(extensions.videoContentType == .screen)
        #expect(extensions.mid == nil)
    }

    @Test("Padding that has a length ends the block, and what came before it counts", arguments: [
        [0xbe, 0xde, 0, 2, 0x10, 1, 0x01, 9, 9, 0x20, 0x61, 0], [0xbe, 0xde, 0, 1, 0x10, 1, 0x07, 0],
    ] as [[UInt8]])
    func paddingWithLength(block: [UInt8]) throws {
        var map = ExtensionMap()
        map.map(1, to: .videoContentType)
        map.map(2, to: .mid)
        let extensions = try read(Self.header + block, map)
        #expect(extensions.videoContentType == .screen)
        #expect(extensions.mid == nil)
    }

    @Test("Unknown profiles, unknown ids and values of a wrong length are passed over")
    func passedOver() throws {
        var map = ExtensionMap()
        map.map(1, to: .absoluteSendTime)
        #expect(try read(Self.header + [0x12, 0x34, 0, 1, 0x12, 1, 2, 3], map) == HeaderExtensions())
        #expect(try read(Self.header + [0xbe, 0xde, 0, 1, 0x52, 1, 2, 3], map) == HeaderExtensions())
        #expect(try read(Self.header + [0xbe, 0xde, 0, 1, 0x11, 1, 2, 0], map) == HeaderExtensions())
        #expect(try read(Self.header + [0xbe, 0xde, 0, 1, 0x50, 1, 0x50, 1], map) == HeaderExtensions())
    }

    @Test("An element that reaches past the block is refused")
    func tooLongElement() {
        #expect(throws: RTPError.extensionElement) {
            try read(Self.header + [0xbe, 0xde, 0, 1, 0x13, 1, 2, 3], Self.all)
        }
        #expect(throws: RTPError.extensionElement) {
            try read(Self.header + [0x10, 0, 0, 1, 1, 200, 2, 3], Self.all)
        }
        #expect(throws: RTPError.extensionElement) {
            try read(Self.header + [0x10, 0, 0, 1, 0, 0, 0, 1], Self.all)
        }
    }

    @Test("Ids outside 1…14, ids taken and extensions mapped twice are refused")
    func map() {
        var map = ExtensionMap()
        let answers = [
            map.map(0, to: .mid), map.map(15, to: .mid), map.map(14, to: .mid), map.map(14, to: .playoutDelay),
            map.map(13, to: .mid), map.map(13, toURI: "urn:example:unknown"),
        ]
        #expect(answers == [false, false, true, false, false, false])
        #expect(map[14] == .mid && map.id(of: .mid) == 14 && map.id(of: .playoutDelay) == nil && map[255] == nil)
        for known in HeaderExtension.allCases { #expect(HeaderExtension(uri: known.uri) == known) }
    }

    private static let header: [UInt8] = [0x90, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]

    private func write(_ extensions: HeaderExtensions, _ map: ExtensionMap) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: false, payloadType: 96, sequenceNumber: 1, timestamp: 2, ssrc: 3)
            .append(to: &bytes, extensions: extensions, map: map)
        return bytes
    }

    private func read(_ bytes: [UInt8], _ map: ExtensionMap) throws(RTPError) -> HeaderExtensions {
        try bytes.read { (span) throws(RTPError) in
            let packet = try RTPPacket(span)
            guard let block = packet.extensionBlock else { return HeaderExtensions() }
            return try HeaderExtensions(span, block, map: map)
        }
    }
}
