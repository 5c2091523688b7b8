import Datagrams
import RTP
import Testing
import Timebase

@Suite("ECN feedback (RFC 6679)")
struct ECNFeedbackTests {
    private static let report = ECNFeedback(
        senderSSRC: 0x0102_0304, mediaSSRC: 0xaabb_ccdd, extendedHighestSequenceNumber: 0x0001_fffe, capable0: 7,
        capable1: 0x8000_0000, congestionExperienced: 0xfffd, notCapable: 2, lost: 0x0102, duplicates: 1)

    private static func bytes(_ report: ECNFeedback) -> [UInt8] {
        var bytes: [UInt8] = []
        report.append(to: &bytes)
        return bytes
    }

    @Test("the counters lie in the bytes as the RFC draws them, and come back from there")
    func layout() throws {
        let bytes = Self.bytes(Self.report)
        #expect(
            bytes == [
                0x88, 205, 0, 7, 1, 2, 3, 4, 0xaa, 0xbb, 0xcc, 0xdd, 0, 1, 0xff, 0xfe, 0, 0, 0, 7, 0x80, 0, 0, 0,
                0xff, 0xfd, 0, 2, 1, 2, 0, 1,
            ])
        #expect(try bytes.read { try RTCPPacket.packets($0) } == [.ecnFeedback(Self.report)])
    }

    @Test("one that ends too soon is refused")
    func truncated() {
        var bytes = Self.bytes(Self.report)
        bytes.removeLast(4)
        bytes[3] = 6
        #expect(throws: RTCPError.malformed(.transportFeedback)) { try bytes.read { try RTCPPacket.packets($0) } }
    }

    @Test("the first ECT and each CE is told at once and once more, all else once a second, each stream for itself")
    func recorder() throws {
        var recorder = ECNRecorder()
        var now = Instant(nanoseconds: 1_000_000_000)
        #expect(recorder.makeFeedback(senderSSRC: 9, at: now).isEmpty)
        recorder.receive(ssrc: 1, sequenceNumber: 65_534, ecn: .notCapable)
        let first = try #require(recorder.makeFeedback(senderSSRC: 9, at: now).first)
        #expect(first.notCapable == 1 && first.extendedHighestSequenceNumber == 65_534)

        func tell(_ ssrc: UInt32, _ number: UInt16, _ ecn: ECN) -> [ECNFeedback] {
            now += .milliseconds(10)
            recorder.receive(ssrc: ssrc, sequenceNumber: number, ecn: ecn)
            return recorder.makeFeedback(senderSSRC: 9, at: now)
        }
        #expect(tell(1, 65_535, .capable0).map(\.capable0) == [1], "the first of its kind")
        #expect(tell(1, 0, .capable0).map(\.capable0) == [2], "and once more, for that may be lost")
        #expect(tell(2, 500, .capable0).map(\.mediaSSRC) == [2])
        #expect(tell(2, 501, .capable0).map(\.mediaSSRC) == [2])
        #expect(tell(2, 502, .capable0).isEmpty)
        // One is missing before it.
        let marked = tell(1, 2, .congestionExperienced)
        #expect(marked.map(\.congestionExperienced) == [1] && marked.map(\.lost) == [1])
        #expect(marked[0].extendedHighestSequenceNumber == 65_538 && marked[0].capable0 == 2)
        #expect(tell(1, 3, .capable0).map(\.congestionExperienced) == [1])
        #expect(tell(1, 4, .capable0).isEmpty)
        now += .seconds(1)
        #expect(tell(2, 503, .capable0).map(\.mediaSSRC) == [1, 2])
        #expect(recorder.makeFeedback(senderSSRC: 9, at: now + .seconds(2)).isEmpty, "nothing has come since")
    }
}
