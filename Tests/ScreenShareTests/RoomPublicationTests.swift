import SignalingClient
import SignalingProtocol
import Testing

@testable import ScreenShare

@Suite("What a publication may ask for")
struct RoomPublicationTests {
    /// 1000 characters, of which a colon is in no token of ours.
    private static let signed = String(repeating: "eyJh:", count: 200)

    @Test("a sharer's token may be a signed one of another server's; it is visible, and no longer than servers take")
    func sharerToken() throws {
        var publication = RoomPublication(server: "https://meet.example.org", room: "demo", sharerToken: Self.signed)
        #expect(try publication.configuration().sharerToken?.secret == Self.signed)
        let refusal = ShareError.invalid("a sharer's token has 1…8192 visible characters")
        for token in ["", "a b", "ä", String(repeating: "a", count: 8193)] {
            publication.sharerToken = token
            #expect(throws: refusal, "\(token.prefix(5))") { try publication.configuration() }
        }
    }

    @Test("viewers' tokens are of our own form")
    func viewerToken() throws {
        var publication = RoomPublication(server: "https://meet.example.org", room: "demo", viewerToken: "sesame")
        #expect(try publication.configuration().viewerToken?.secret == "sesame")
        publication.viewerToken = Self.signed
        #expect(throws: ShareError.invalid("a token has 1…256 letters, digits and -._~+/")) {
            try publication.configuration()
        }
    }
}
