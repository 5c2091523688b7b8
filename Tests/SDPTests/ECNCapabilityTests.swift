import Foundation
import Testing

@testable import SDP

@Suite("ECN in offers and answers (RFC 6679 § 6)")
struct ECNCapabilityTests {
    private static let viewer = LocalOfferTests.viewerWithSound
    private static let offer = viewer.description.description.with("\r\n", "\n")
    private static let line = "a=ecn-capable-rtp: rtp mode=setread; ect=0"

    private static func answer(to text: String, usesECN: Bool = true) throws -> SessionDescription {
        let offer = try Offer(SessionDescription(text))
        var plan = AnswerTests.plan(offer, audio: AnswerTests.sound)
        plan.usesECN = usesECN
        return offer.makeAnswer(plan)
    }

    private static func isAgreed(_ answer: SessionDescription) -> [Bool] {
        answer.media.map { section in
            let tells = section.payloadFormats.contains { !$0.feedback.isDisjoint(with: [.ecn, .ccfb]) }
            return section.ecnCapability != nil && tells
        }
    }

    @Test("the attribute is read as the grammar has it", arguments: [
        (" rtp mode=setread; ect=0", ECNCapability()),
        ("rtp", ECNCapability()),
        (" leap,rtp,ice ect=1; mode=readonly", ECNCapability(methods: ["leap", "rtp", "ice"], mode: .readOnly, preference: .one)),
        (" rtp ect=random;new=\"x\"", ECNCapability(preference: .random)),
        (" rtp mode=never", nil), (" rtp ect=2", nil), ("", nil),
    ] as [(String, ECNCapability?)])
    func parsing(text: String, expected: ECNCapability?) {
        #expect(ECNCapability(parsing: text) == expected)
    }

    @Test("our viewer offers it in all sections, or in none")
    func offers() throws {
        #expect(Self.offer.components(separatedBy: Self.line).count == 3)
        #expect(Self.viewer.description.media.allSatisfy { $0.payloadFormats[0].feedback.contains(.ecn) })
        let without = LocalOffer.receiving(transport: LocalOfferTests.transport, sessionID: 5, audio: true, ecn: nil)
        #expect(!without.description.description.contains("ecn"))
    }

    @Test("our sharer takes it, and our viewer gives feedback")
    func agreed() throws {
        let answer = try Self.answer(to: Self.offer)
        #expect(Self.isAgreed(answer) == [true, true])
        let accepted = try AcceptedAnswer(SessionDescription(answer.description), to: Self.viewer)
        #expect(accepted.video.takesECNFeedback)
        #expect(try Offer(SessionDescription(Self.offer)).video.ecn == ECNCapability())
    }

    @Test("with feedback stream by stream, which tells of ECN itself, there is no other for it")
    func perStream() throws {
        let lines = Self.offer.components(separatedBy: "\n").filter { !$0.contains("transport-cc") }
        let answer = try Self.answer(to: lines.joined(separator: "\n"))
        #expect(Self.isAgreed(answer) == [true, true])
        #expect(!answer.description.contains("nack ecn"))
    }

    @Test("none where the sharer does not want it, the viewer cannot read it, wants another way, or never tells",
        arguments: [
            (false, "", ""), (true, "mode=setread", "mode=setonly"), (true, ": rtp ", ": leap "),
            (true, " nack ecn", " nack other"), (true, "a=ecn-capable-rtp", "a=something"),
        ])
    func refused(usesECN: Bool, part: String, other: String) throws {
        var text = Self.offer
        if !part.isEmpty { text = text.with(part, other) }
        if part == " nack ecn" { text = text.with("a=rtcp-fb:* ack ccfb\n", "") }
        let answer = try Self.answer(to: text, usesECN: usesECN)
        #expect(!answer.description.contains("ecn-capable-rtp") && !answer.description.contains("nack ecn"))
        let offer = try Offer(SessionDescription(text))
        #expect(!usesECN || offer.video.ecn == nil)
    }

    @Test("nor where a viewer tells of it for some of its formats only: which it gets is not known yet")
    func someFormats() throws {
        let some = Self.offer.without("a=rtcp-fb:98 nack ecn")
        #expect(some != Self.offer)
        #expect(try Offer(SessionDescription(some)).video.ecn == nil)
    }
}
