import ScreenShare
import Testing

/// TURN servers as an embedder names them.
@Suite("TURN servers")
struct TURNServerTests {
    private static let password = TURNServer.Credentials.password(username: "alice", password: "wonder")

    @Test("what RFC 7065 allows is taken", arguments: [
        "turn:relay.example.org", "turn:192.0.2.1:3478?transport=tcp", "turns:relay.example.org:443", "turn:[2001:db8::1]",
    ])
    func taken(_ url: String) throws {
        #expect(try TURNServer(url: url, credentials: Self.password).url == url)
    }

    @Test("what is wrong with a URL is told, and which it is", arguments: [
        ("stun:relay.example.org", "is no TURN server"), ("relay.example.org", "is no TURN server"),
        ("turn:", "has no host"), ("turn:relay.example.org:0", "the port"), ("turn:relay.example.org:70000", "the port"),
        ("turn:relay.example.org?transport=sctp", "only ?transport"),
        ("turns:relay.example.org?transport=udp", "TLS goes over TCP"),
    ])
    func malformed(_ url: String, _ words: String) {
        let error = #expect(throws: ShareError.self) { try TURNServer(url: url, credentials: Self.password) }
        #expect(error?.description.contains(words) == true && error?.description.contains(url) == true)
    }

    @Test("neither half of a login may be missing, nor the secret", arguments: [
        TURNServer.Credentials.password(username: "", password: "x"), .password(username: "x", password: ""),
        .sharedSecret(""),
    ])
    func empty(_ credentials: TURNServer.Credentials) {
        #expect(throws: ShareError.self) { try TURNServer(url: "turn:relay.example.org", credentials: credentials) }
    }

    @Test("neither passwords nor secrets are printed", arguments: [password, .sharedSecret("wonder")])
    func silence(_ credentials: TURNServer.Credentials) throws {
        var network = NetworkConfiguration()
        network.turnServers = [try TURNServer(url: "turn:relay.example.org", credentials: credentials)]
        var dumped = ""
        dump(network, to: &dumped)
        dump(credentials, to: &dumped)
        for text in ["\(network)", String(reflecting: network), "\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("wonder"))
        }
    }

    @Test("nor is what a viewer is given")
    func viewersSilence() throws {
        let server = try TURNServer(url: "turn:relay.example.org", credentials: Self.password)
        let credentials = try #require(server.viewerCredentials())
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] { #expect(!text.contains("wonder")) }
    }

    @Test("viewers get a login of their own that lapses, made of a secret; else ours")
    func viewers() throws {
        let own = try TURNServer(url: "turn:relay.example.org", credentials: Self.password)
        #expect(own.viewerCredentials().map { [$0.username, $0.password] } == ["alice", "wonder"])
        let shared = try TURNServer(url: "turn:relay.example.org", credentials: .sharedSecret("north"))
        let short = try #require(shared.viewerCredentials(lifetime: .seconds(60)))
        let long = try #require(shared.viewerCredentials())
        let expiries = [short, long].compactMap { $0.username.split(separator: ":").first.flatMap { Int($0) } }
        try #require(expiries.count == 2)
        #expect((43_130...43_150).contains(expiries[1] - expiries[0]))
        #expect(short.username.hasSuffix(":viewer") && short.password != long.password)
        // HMAC-SHA1 in Base64.
        #expect(short.password.count == 28 && short.password.hasSuffix("="))
        for lifetime in [Duration.seconds(Int64.max), Duration(attoseconds: .max), Duration(attoseconds: .min)] {
            #expect(shared.viewerCredentials(lifetime: lifetime) == nil)
            #expect(own.viewerCredentials(lifetime: lifetime) != nil)
        }
    }
}
