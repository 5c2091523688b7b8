import ScreenShare
import Testing
@testable import ScreenShareCLI

@Suite("What view says of where it looks")
struct ViewedPlaceTests {
    @Test("a room is told with its server, an endpoint without what may be secret", arguments: [
        ("demo", "http://127.0.0.1:8080", #"in room "demo" at http://127.0.0.1:8080"#),
        (nil, "https://example.org/whep/a?key=1#x", "at https://example.org/whep/a"),
        (nil, "https://anna:secret@example.org/whep/a@b", "at https://example.org/whep/a@b"),
        (nil, "https://[::1]:8080", "at https://[::1]:8080"),
    ] as [(String?, String, String)])
    func text(room: String?, address: String, text: String) {
        #expect(ViewedPlace(room: room, address: address).text == text)
    }

    @Test("what a server could not be asked is told with the place, once")
    func failure() {
        let place = ViewedPlace(room: "demo", address: "http://127.0.0.1:9")
        let told = "http://127.0.0.1:9/v1/rooms/demo/whep: no such room"
        let errors: [(String) -> ShareError] = [{ .signaling($0) }, { .unavailable($0, retryAfter: .zero) }]
        for error in errors {
            let unreachable = Failure(error("nothing listens there"), at: place)
            #expect(unreachable.code == .unavailable)
            #expect(unreachable.message == #"in room "demo" at http://127.0.0.1:9: nothing listens there"#)
            #expect(Failure(error(told), at: place).message == told)
        }
        #expect(Failure(.network("no address"), at: place).message == "no address")
        let endpoint = ViewedPlace(room: nil, address: "https://example.org/whep?key=1")
        let refused = Failure(.forbidden("the server at https://example.org/whep?key=1 demands a token"), at: endpoint)
        #expect(refused.code == .noPermission)
        #expect(refused.message.contains("at https://example.org/whep demands") && !refused.message.contains("key"))
    }
}
