import Foundation
import Testing

@testable import SDP

@Suite("Congestion feedback in offers and answers")
struct CongestionFeedbackTests {
    private static let numbers = HeaderExtensionURI.transportWideCC
    private static let offer = LocalOfferTests.viewerWithSound.description.description.with("\r\n", "\n")

    /// Without the lines in which that stands.
    private static func offer(without parts: String...) -> String {
        let lines = offer.components(separatedBy: "\n").filter { line in !parts.contains { line.contains($0) } }
        return lines.joined(separator: "\n")
    }

    /// What a section of the answer says of it.
    private struct Said: Equatable {
        var transportCC = false
        var ccfb = false
        var isNumbered = false

        init(_ section: MediaDescription) {
            let messages = section.attributes.values(of: "rtcp-fb")
            transportCC = messages.contains { $0.hasSuffix("transport-cc") }
            ccfb = messages.count { $0 == "* ack ccfb" } == 1
            isNumbered = section.headerExtensions.contains { $0.uri == CongestionFeedbackTests.numbers }
        }

        init(transportCC: Bool = false, ccfb: Bool = false, isNumbered: Bool = false) {
            (self.transportCC, self.ccfb, self.isNumbered) = (transportCC, ccfb, isNumbered)
        }
    }

    private static let transportWide = Said(transportCC: true, isNumbered: true)
    private static let perStream = Said(ccfb: true)

    private static func answer(to text: String) throws -> SessionDescription {
        let offer = try Offer(SessionDescription(text))
        return offer.makeAnswer(AnswerTests.plan(offer, audio: AnswerTests.sound))
    }

    @Test("our own offer lists both, in each section, the new one once for all payload types")
    func localOffer() throws {
        let media = LocalOfferTests.viewerWithSound.description.media
        let all = Said(transportCC: true, ccfb: true, isNumbered: true)
        #expect(media.map(Said.init) == [all, all])
        #expect(media[0].payloadFormats.allSatisfy { $0.feedback.contains(.ccfb) })
    }

    @Test("an offer to any server has no line for all payload types, and is answered alike")
    func withoutPerStream() throws {
        let offer = LocalOffer.receiving(
            transport: LocalOfferTests.transport, sessionID: 5, audio: true, perStream: false)
        let text = offer.description.description
        #expect(!text.contains("rtcp-fb:*") && !text.contains("ccfb"))
        #expect(try Self.answer(to: text).media.map(Said.init) == [Self.transportWide, Self.transportWide])
    }

    @Test("where both are offered, transport-wide numbers are taken, in all sections")
    func both() throws {
        #expect(try Self.answer(to: Self.offer).media.map(Said.init) == [Self.transportWide, Self.transportWide])
        let accepted = try AcceptedAnswer(
            SessionDescription(Self.answer(to: Self.offer).description), to: LocalOfferTests.viewerWithSound)
        #expect(accepted.video.option.feedback.contains(.transportCC))
        #expect(!accepted.video.option.feedback.contains(.ccfb))
    }

    @Test("without the message or its extension `ccfb` is taken, and no packet carries what only others need")
    func ccfb() throws {
        let offers = [
            Self.offer(without: "96 transport-cc", "98 transport-cc"), Self.offer(without: "a=extmap:3 "),
            Self.offer(without: "transport-cc", "a=extmap:3 "),
        ]
        for text in offers {
            let answer = try Self.answer(to: text)
            #expect(answer.media.map(Said.init) == [Self.perStream, Self.perStream])
            #expect(!answer.media[0].headerExtensions.contains { $0.uri == HeaderExtensionURI.absSendTime })
            let offer = try Offer(SessionDescription(text))
            #expect(offer.video.options.allSatisfy { $0.feedback.intersection([.ccfb, .transportCC]) == .ccfb })
            #expect(!offer.video.extensions.contains { $0.uri == Self.numbers })
            let accepted = try AcceptedAnswer(
                SessionDescription(answer.description), to: LocalOfferTests.viewerWithSound)
            #expect(accepted.video.option.feedback.contains(.ccfb))
            #expect(!accepted.video.extensions.contains { $0.uri == Self.numbers })
        }
    }

    @Test("named for one payload type it means the same, and the answer names all")
    func onePayloadType() throws {
        let text = Self.offer(without: "transport-cc").with("* ack ccfb", "96 ack ccfb")
        #expect(try Said(Self.answer(to: text).media[0]) == Self.perStream)
    }

    @Test("an offer that has it for sound alone, or not at all, is answered as ever")
    func neither() throws {
        let sections = Self.offer(without: "transport-cc").components(separatedBy: "m=audio")
        let soundAlone = sections[0].with("a=rtcp-fb:* ack ccfb\n", "") + "m=audio" + sections[1]
        #expect(try Self.answer(to: soundAlone).media.allSatisfy { !Said($0).ccfb && Said($0).isNumbered })
        #expect(try Self.answer(to: Self.offer(without: "ack ccfb")) == Self.answer(to: Self.offer))
        #expect(try OfferTests.offer("chromium").video.options[0].feedback.contains(.transportCC))
    }

    @Test("feedback that nobody here knows is left as it is")
    func unknown() throws {
        let line = "a=rtcp-fb:96 nack rpsi"
        let text = Self.offer.with("a=rtcp-fb:96 nack pli", "a=rtcp-fb:96 nack pli\n\(line)")
        #expect(try Offer(SessionDescription(text)).description.description.contains(line))
    }

    @Test("an answer that takes both is read as one with transport-wide numbers; `ccfb` alone counts")
    func answers() throws {
        let text = try Self.answer(to: Self.offer).description.with("\r\n", "\n")
        func read(_ text: String) throws -> AcceptedVideo {
            try AcceptedAnswer(SessionDescription(text), to: LocalOfferTests.viewerWithSound).video
        }
        let both = text.with("a=rtcp-fb:96 transport-cc", "a=rtcp-fb:96 transport-cc\na=rtcp-fb:* ack ccfb")
        #expect(try read(both).option.feedback == read(text).option.feedback)
        let mixed = try read(text.with("a=rtcp-fb:96 transport-cc", "a=rtcp-fb:* ack ccfb"))
        #expect(mixed.option.feedback.contains(.ccfb) && !mixed.extensions.contains { $0.uri == Self.numbers })
    }
}
