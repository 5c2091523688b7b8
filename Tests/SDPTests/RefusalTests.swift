import Foundation
import Testing

@testable import SDP

@Suite("Refusing offers")
struct RefusalTests {
    static let minimal = OfferTests.minimal
    static let fingerprint = OfferTests.fingerprint

    static func refusal(_ text: String) -> AnswerRefusal? {
        do {
            _ = try Offer(SessionDescription(text))
            return nil
        } catch {
            return error as? AnswerRefusal
        }
    }

    @Test("the minimal offer is none of these")
    func minimalIsFine() {
        #expect(Self.refusal(Self.minimal) == nil)
    }

    @Test("no media, no video, nothing to receive, nothing we can send", arguments: [
        (minimal.components(separatedBy: "m=video")[0], AnswerRefusal.noMedia),
        (minimal.with("m=video", "m=audio"), .noVideo),
        (minimal.with("m=video 9", "m=video 0"), .noVideo),
        (minimal.with("a=recvonly", "a=sendonly"), .nothingToReceive),
        (minimal.with("a=recvonly", "a=inactive"), .nothingToReceive),
        (minimal.with("H264", "VP8"), .noH264),
        (minimal.with("H264/90000", "H264/48000"), .noH264),
        (minimal.without("a=rtpmap"), .noH264),
        (minimal.with("UDP/TLS/RTP/SAVPF", "UDP/DTLS/SCTP"), .unsupportedProtocol),
        (minimal.without("a=rtcp-mux"), .noRTCPMux),
    ])
    func media(text: String, expected: AnswerRefusal) {
        #expect(Self.refusal(text) == expected)
    }

    @Test("sections need tags of their own, of 255 bytes at most")
    func tags() {
        let audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:1\na=rtcp-mux\na=rtpmap:111 opus/48000/2\n"
        #expect(Self.refusal(Self.minimal + audio) == nil)
        #expect(Self.refusal(Self.minimal.with("BUNDLE 0", "BUNDLE 0 0") + audio.with("mid:1", "mid:0")) == .unusableTags)
        #expect(Self.refusal(Self.minimal + audio.with("a=mid:1", "a=mid:" + String(repeating: "x", count: 256)))
            == .unusableTags)
    }

    @Test("credentials that are missing or malformed", arguments: [
        (minimal.without("a=ice-ufrag"), TransportFault.noCredentials),
        (minimal.without("a=ice-pwd"), .noCredentials),
        (minimal.with("ufrag:abcd", "ufrag:abc"), .malformedCredentials),
        (minimal.with("pwd:a", "pwd:"), .malformedCredentials),
        (minimal.with("ufrag:abcd", "ufrag:ab cd"), .malformedCredentials),
    ])
    func credentials(text: String, expected: TransportFault) {
        #expect(Self.refusal(text) == .transport(expected))
    }

    @Test("fingerprints that are missing, weak, malformed or in conflict", arguments: [
        (minimal.without("a=fingerprint"), TransportFault.noFingerprint),
        (minimal.with("sha-256 \(fingerprint)", "sha-1 " + fingerprint.prefix(59)), .noSHA256Fingerprint),
        (minimal.with("sha-256", "sha-512"), .noSHA256Fingerprint),
        (minimal.with("sha-256", "md5"), .noSHA256Fingerprint),
        (minimal.with(fingerprint, String(fingerprint.dropLast(3))), .malformedFingerprint),
        (minimal.with(fingerprint, fingerprint + ":AB"), .malformedFingerprint),
        (minimal.with(fingerprint, fingerprint.with("AB:AB", "AB:XY")), .malformedFingerprint),
        (minimal.with(fingerprint, ""), .malformedFingerprint),
        (minimal + "a=fingerprint:sha-256 nonsense\n", .malformedFingerprint),
        (minimal + "a=fingerprint:sha-256 CD" + fingerprint.dropFirst(2) + "\n", .conflictingFingerprints),
        (minimal + String(repeating: "a=fingerprint:sha-1 00\n", count: 16), .malformedFingerprint),
    ])
    func fingerprints(text: String, expected: TransportFault) {
        #expect(Self.refusal(text) == .transport(expected))
    }

    @Test("the same fingerprint twice, in either case, and others beside it are fine")
    func repeatedFingerprint() {
        let more = "a=fingerprint:SHA-256 \(Self.fingerprint.lowercased())\na=fingerprint:sha-512 00:11\n"
        #expect(Self.refusal(Self.minimal + more) == nil)
    }

    @Test("another certificate for another section of the bundle is a conflict")
    func fingerprintOfSections() {
        let audio =
            "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:1\na=rtcp-mux\na=rtpmap:111 opus/48000/2\na=fingerprint:sha-256 "
        let text = Self.minimal.with("BUNDLE 0", "BUNDLE 0 1") + audio
        #expect(Self.refusal(text + Self.fingerprint + "\n") == nil)
        let other = "00" + Self.fingerprint.dropFirst(2) + "\n"
        #expect(Self.refusal(text + other) == .transport(.conflictingFingerprints))
        #expect(Self.refusal((text + other).with("m=audio 9", "m=audio 0")) == nil, "a rejected section has no transport")
        #expect(Self.refusal(text + "\n") == .transport(.malformedFingerprint))
    }

    @Test("a setup that leaves nobody to begin", arguments: ["holdconn", "both", "", "ACTIVE"])
    func setup(value: String) {
        #expect(
            Self.refusal(Self.minimal.with("a=setup:actpass", "a=setup:\(value)")) == .transport(.contradictorySetup))
    }
}
