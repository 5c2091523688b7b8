import Foundation
import TestSupport
import Testing

@testable import SDP

/// Whatever comes, there is a result or a typed error, and soon.
@Suite("Hostile descriptions", .serialized)
struct HostileTests {
    /// All that is ever done with a text from a stranger.
    static func consume(_ text: String) {
        _ = try? TrickleFragment(text)
        guard let description = try? SessionDescription(text) else { return }
        _ = description.description
        for section in description.media {
            _ = (section.payloadFormats, section.headerExtensions, section.bandwidth)
        }
        if let offer = try? Offer(description) { _ = offer.makeAnswer(AnswerTests.plan(offer)).description }
        _ = try? AcceptedAnswer(description, to: LocalOfferTests.viewerWithSound)
    }

    /// The best of three runs, so that a busy machine is not taken for slow code.
    static func time(_ text: String) -> Duration {
        (0..<3).map { _ in ContinuousClock().measure { consume(text) } }.min() ?? .zero
    }

    /// 10 ms is the promise. Code with all its checks, and unoptimised or with sanitizers even more so, takes several times as
    /// long; what is quadratic in 64 KiB takes seconds.
    static let limit = isChecked ? Duration.seconds(1) : .milliseconds(10)

    static var isChecked: Bool {
        var isChecked = false
        func check() -> Bool {
            isChecked = true
            return true
        }
        assert(check())
        return isChecked
    }

    @Test(
        "every file of the corpus gives a result or a typed error in time",
        // Needs the corpora beside the checkout or at SCREENSHARE_CORPORA; reported as skipped without them.
        .enabled(if: FileManager.default.fileExists(atPath: Fixture.corpus.path), "the corpora are not here"))
    func corpus() throws {
        let files = try Fixture.corpusFiles()
        #expect(files.count >= 60)
        for file in files {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(Self.time(text) < Self.limit, "\(file.lastPathComponent)")
            guard let description = try? SessionDescription(text) else { continue }
            #expect(try SessionDescription(description.description) == description, "\(file.lastPathComponent)")
        }
    }

    /// 64 KiB of one trick each, behind an offer that is in order.
    static let tricks: [(name: String, text: String)] = [
        ("candidates", fill("a=candidate:1 1 udp 1 192.0.2.1 9 typ host\n")),
        ("rtpmaps", fill("a=rtpmap:96 H264/90000\n")),
        ("fmtps", fill("a=fmtp:96 apt=96\n")),
        ("feedback", fill("a=rtcp-fb:* nack\n")),
        ("extensions", fill("a=extmap:1 urn:x\n")),
        ("sources", fill("a=ssrc:1 cname:x\n")),
        ("source groups", fill("a=ssrc-group:FID 1 2\n")),
        ("fingerprints", fill("a=fingerprint:sha-256 \(OfferTests.fingerprint)\n")),
        ("tags", fill("a=mid:0\n")),
        ("sections", fill("m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:x\n")),
        ("groups", OfferTests.minimal.with("m=video", lines("a=group:BUNDLE 0 0 0 0 0 0 0 0 0 0 0 0\n") + "m=video")),
        ("one long group", OfferTests.minimal.with("BUNDLE 0", "BUNDLE" + String(repeating: " 0", count: 2000))),
        ("parameters", fill("a=fmtp:96 " + String(repeating: "a=b;", count: 1000) + "\n")),
        ("semicolons", fill("a=fmtp:96 " + String(repeating: ";", count: 4000) + "\n")),
        ("spaces", fill("a=fmtp:96" + String(repeating: " ", count: 4000) + "\n")),
        ("colons", fill("a=" + String(repeating: ":", count: 4000) + "\n")),
        ("formats", fill("m=video 9 UDP/TLS/RTP/SAVPF" + (0..<128).map { " \($0)" }.joined() + "\na=recvonly\n")),
        ("line feeds", OfferTests.minimal + String(repeating: "\n", count: 60_000)),
        ("carriage returns", OfferTests.minimal + String(repeating: "\r", count: 60_000)),
        ("wide characters", fill("a=x:" + String(repeating: "é", count: 1000) + "\n")),
        ("joined characters", fill("a=x:e" + String(repeating: "\u{301}", count: 1000) + "\n")),
        ("no line end", String(repeating: "v", count: 65_536)),
    ]

    static func lines(_ line: String) -> String { String(repeating: line, count: min(2000, 60_000 / line.utf8.count)) }
    static func fill(_ line: String) -> String { OfferTests.minimal + lines(line) }

    @Test("64 KiB of any trick are done with in linear time", arguments: 0..<tricks.count)
    func trick(index: Int) {
        let (name, text) = Self.tricks[index]
        #expect(Self.time(text) < Self.limit, "\(name)")
    }

    @Test("real offers, spoilt at random: bytes changed, taken out, doubled, cut", arguments: Fixture.names)
    func mutations(name: String) throws {
        var random = SeededGenerator(seed: 0x5D9)
        let original = Array(try Fixture.text(name).utf8)
        for _ in 0..<150 {
            var bytes = original
            for _ in 0...Int(random.next() % 8) { Self.spoil(&bytes, &random) }
            Self.consume(String(decoding: bytes, as: UTF8.self))
        }
    }

    static func spoil(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        if bytes.isEmpty { return }
        let index = Int(random.next() % UInt64(bytes.count))
        let end = min(bytes.count, index + Int(random.next() % 60))
        switch random.next() % 5 {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(index..<end)
        case 2: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 3: bytes[index] = Array("0129:=;/ \n".utf8)[Int(random.next() % 10)]
        default: bytes.removeSubrange(end...)
        }
    }
}
