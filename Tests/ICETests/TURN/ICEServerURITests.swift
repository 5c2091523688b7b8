import Datagrams
import Testing

@testable import ICE

@Suite("Addresses of STUN and TURN servers")
struct ICEServerURITests {
    @Test("each form is read, with the ports of RFC 7064 and RFC 7065", arguments: [
        ("stun:example.org", "stun:example.org:3478"),
        ("stun:example.org:1234", "stun:example.org:1234"),
        ("STUNS:example.org", "stuns:example.org:5349"),
        ("turn:example.org", "turn:example.org:3478?transport=udp"),
        ("turn:192.0.2.1:65535?transport=udp", "turn:192.0.2.1:65535?transport=udp"),
        ("turn:example.org?transport=TCP", "turn:example.org:3478?transport=tcp"),
        ("turns:example.org", "turns:example.org:5349?transport=tcp"),
        ("turns:[2001:db8::1]:443?transport=tcp", "turns:[2001:db8::1]:443?transport=tcp"),
        ("turns:my-turn_1.example.org?transport=udp", "turns:my-turn_1.example.org:5349?transport=udp"),
    ])
    func read(text: String, canonical: String) throws {
        let uri = try ICEServerURI(text)
        #expect("\(uri)" == canonical)
        #expect(try ICEServerURI(canonical) == uri)
    }

    @Test("the address is there at once where no name must be looked up")
    func address() throws {
        #expect(try ICEServerURI("turn:[::1]:99").address == TransportAddress(ip: .v6(high: 0, low: 1), port: 99))
        #expect(try ICEServerURI("stun:192.0.2.1").address == TransportAddress(ip: .v4(0xC000_0201), port: 3478))
        #expect(try ICEServerURI("stun:example.org").address == nil)
    }

    @Test("everything else says what is wrong", arguments: [
        ("", ICEServerURIError.unknownScheme), ("example.org", .unknownScheme), ("http://example.org", .unknownScheme),
        ("turnx:example.org", .unknownScheme), (String(repeating: "a", count: 301), .unknownScheme),
        ("turn:", .malformedHost), ("turn://example.org", .malformedHost), ("turn:user@example.org", .malformedHost),
        ("turn:[::1", .malformedHost), ("turn:[example]:1", .malformedHost), ("turn:[1.2.3.4]", .malformedHost),
        ("turn:[::1]x", .malformedHost), ("turn:exämple.org", .malformedHost), ("turn:a b", .malformedHost),
        ("turn:\(String(repeating: "a", count: 256))", .malformedHost), ("turn:?transport=udp", .malformedHost),
        ("turn:a:", .malformedPort), ("turn:a:0", .malformedPort), ("turn:a:65536", .malformedPort),
        ("turn:a:+1", .malformedPort), ("turn:::1", .malformedHost), ("turn:a:1:2", .malformedPort),
        ("turn:a?", .malformedQuery), ("turn:a?transport", .malformedQuery), ("turn:a?transport=sctp", .malformedQuery),
        ("turn:a?transport=udp&x=1", .malformedQuery), ("stun:a?transport=udp", .malformedQuery),
    ])
    func malformed(text: String, error: ICEServerURIError) {
        #expect(throws: error) { try ICEServerURI(text) }
    }
}
