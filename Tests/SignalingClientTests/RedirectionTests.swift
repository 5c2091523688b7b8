import FoundationEssentials
import Testing

@testable import SignalingClient

@Suite("Where a server may lead")
struct RedirectionTests {
    private func mayLead(_ from: String, _ to: String) throws -> Bool {
        try #require(URL(string: from + "/whep")).mayLead(to: try #require(URL(string: to + "/x")))
    }

    @Test("to its own origin, to its own host, and by HTTPS to another", arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("https://a.example", "https://A.example:443"),
        ("http://a.example", "https://a.example"), ("http://a.example:8889", "http://a.example:8890"),
        ("https://a.example", "http://a.example"), ("http://[2001:db8::1]", "https://[2001:db8::1]:8443"),
        ("https://a.example", "https://node7.b.example"), ("https://a.example", "https://198.51.100.7"),
        ("https://10.0.0.1", "https://10.0.0.2"), ("https://meet.local", "https://meet2.local"),
        ("https://192.168.1.2", "https://a.example"),
    ])
    func allowed(from: String, to: String) throws {
        #expect(try mayLead(from, to))
    }

    private static let refusals: [(String, String)] = [
        ("http://a.example", "http://b.example"), ("http://a.example", "https://b.example"),
        ("https://a.example", "http://b.example"), ("http://a.example", "http://127.0.0.1:9200"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:9200"), ("http://localhost:8080", "http://localhost:9200"),
        ("http://[::1]:8080", "http://[::1]:9200"), ("http://192.168.1.2", "http://192.168.1.1"),
    ]

    @Test("not in clear to another host, nor to another port of this machine", arguments: refusals)
    func refused(from: String, to: String) throws {
        #expect(try !mayLead(from, to))
    }

    @Test("not from the internet to this machine or one beside it, in whatever form it is named", arguments: [
        "localhost", "x.localhost", "localhost.", "127.0.0.1", "127.1", "2130706433", "0", "[::1]", "[::ffff:127.0.0.1]",
        "[64:ff9b::a00:1]", "10.0.0.1", "172.16.0.1", "172.31.255.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "[fe80::1]",
        "[fd99::1]", "router", "nas.local", "db.internal", "x.home.arpa",
    ])
    func inside(host: String) throws {
        #expect(try !mayLead("https://a.example", "https://\(host)"))
    }

    @Test("a token goes to its own origin, and by HTTPS where a server that was asked by HTTPS says")
    func token() throws {
        func mayPass(_ from: String, _ to: String) throws -> Bool {
            try #require(URL(string: from)).mayPassToken(to: try #require(URL(string: to)))
        }
        #expect(try mayPass("http://a.example/whep", "http://a.example:80/1"))
        #expect(try mayPass("https://a.example/whep", "https://b.example/1"))
        #expect(try !mayPass("http://a.example/whep", "http://a.example:81/1"))
        #expect(try !mayPass("http://a.example/whep", "https://a.example/1"))
        #expect(try !mayPass("https://a.example/whep", "http://a.example/1"))
    }
}
