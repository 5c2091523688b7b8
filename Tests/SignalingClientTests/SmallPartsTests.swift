import FoundationEssentials
import NIOCore
import NIOHTTP1
import SignalingProtocol
import TestSupport
import Testing
import Timebase

@testable import SignalingClient

@Suite("Parts of the signaling client")
struct SmallPartsTests {
    @Test("An HTTP date is read to the second")
    func dates() {
        #expect(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.seconds == 784_111_777)
        #expect(HTTPDate("Thu, 01 Jan 1970 00:00:00 GMT")?.seconds == 0)
        #expect(HTTPDate("Thu, 29 Feb 2024 23:59:59 GMT")?.seconds == 1_709_251_199)
        for text in [
            "", "soon", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            #expect(HTTPDate(text) == nil, "\(text)")
        }
    }

    @Test("Retry-After is believed up to a minute, and two seconds where it is missing or makes no sense")
    func retryAfter() throws {
        func wait(_ field: String?) throws -> Duration {
            let url = try #require(URL(string: "http://example.org/"))
            return HTTPReply(
                url: url, status: 503, headers: field.map { ["Retry-After": $0] } ?? [:], body: ByteBuffer()
            ).retryAfter
        }
        #expect(try wait("7") == .seconds(7))
        #expect(try wait("86400") == .seconds(60))
        #expect(try wait("-5") == .zero)
        #expect(try wait("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
        for field in [nil, "soon", "99999999999999999999"] { #expect(try wait(field) == .seconds(2)) }
    }

    @Test("ICE servers are read from Link fields, other relations are passed over")
    func links() {
        let headers: HTTPHeaders = [
            "Link": "<stun:stun.example.net>; rel=\"ice-server\"",
            "link": "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"a\\\"b, c;d\"; "
                + "credential=\"c\\\\d\"; credential-type=\"password\", <https://x/>; rel=\"other\", nonsense",
        ]
        #expect(
            ICEServerLink.all(in: headers)
                == [
                    LinkField("<stun:stun.example.net>; rel=ice-server"),
                    LinkField(
                        "<turn:turn.example.net?transport=udp>;rel=\"ice-server\";username=\"a\\\"b, c;d\";"
                            + "credential=\"c\\\\d\""),
                ].compactMap { $0.flatMap(ICEServerLink.init) })
        let turn = ICEServerLink.all(in: headers).last
        #expect(turn?.username == "a\"b, c;d")
        #expect(turn?.credential == "c\\d")
        let many = HTTPHeaders((0..<100).map { ("Link", "<stun:s\($0)>; rel=\"ice-server\"") })
        #expect(ICEServerLink.all(in: many).count == 8)
    }

    @Test("ICE servers are read also where white space is before a semicolon or a comma")
    func spacedLinks() {
        let headers: HTTPHeaders = [
            "Link": "<turn:turn.example.net> ; rel=\"ice-server\" ;\tusername=\"a\"\t; credential=\"b\" , "
                + "<stun:stun.example.net>;rel=ice-server"
        ]
        let servers = ICEServerLink.all(in: headers)
        #expect(servers.map(\.url) == ["turn:turn.example.net", "stun:stun.example.net"])
        #expect(servers.first?.username == "a" && servers.first?.credential == "b")
    }

    @Test("A server's address is http or https with a host")
    func addresses() throws {
        for text in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"] {
            #expect(ServerAddress.whepEndpoint(of: "demo", at: text) == "http://127.0.0.1:8080/v1/rooms/demo/whep")
        }
        #expect(
            try ServerAddress("https://example.org/screens/").url("v1/rooms").absoluteString
                == "https://example.org/screens/v1/rooms")
        for text in ["", "demo", "ftp://example.org", "http://", "127.0.0.1:8080", "http:///x"] {
            #expect(throws: SignalingError.badAddress(text)) { try ServerAddress(text) }
        }
    }

    @Test("An address whose port or host can't be is none, in whatever place", arguments: unusableAddresses)
    func unusable(text: String) throws {
        #expect(throws: SignalingError.badAddress(text)) { try ServerAddress(text) }
        #expect(throws: SignalingError.badAddress(text + "/whep")) { try WHEPClient(endpoint: text + "/whep") }
        let url = try #require(URL(string: "http://127.0.0.1:8080/whep"))
        let reply = HTTPReply(url: url, status: 307, headers: ["Location": text + "/x"], body: ByteBuffer())
        #expect(reply.address(in: "Location") == nil)
    }

    @Test("Every port that there can be is taken, with every kind of host", arguments: [
        "http://127.0.0.1:1", "https://127.0.0.1:65535", "http://[::1]:65535",
        "http://user:1@example.org:8080", "http://a-b_c.example.org",
    ])
    func usable(text: String) throws {
        #expect(try ServerAddress(text).base.isHTTP)
        #expect(URL(string: text + "?a=http://x:99999#:99999")?.isHTTP == true)
    }

    @Test("A redirection to another server tells its scheme, host and port alone; one that is less secure is not named")
    func redirections() throws {
        func error(
            _ status: Int = 308, at address: String = "http://example.org/v1/x", to next: String
        ) throws -> SignalingError {
            let url = try #require(URL(string: address))
            return SignalingError(HTTPReply(url: url, status: status, headers: ["Location": next], body: ByteBuffer()))
        }
        for status in [301, 302, 303, 307, 308] {
            #expect(
                try error(status, to: "https://me:pw@Example.org/hidden?key=1#t=k") == .elsewhere("https://example.org"))
        }
        #expect(try error(to: "https://example.org:8443/v1/x") == .elsewhere("https://example.org:8443"))
        #expect(try error(to: "https://[::1]/") == .elsewhere("https://[::1]"))
        #expect(try error(to: "//other.example.org:443/") == .elsewhere("http://other.example.org:443"))
        for next in ["/v1/y", "http://EXAMPLE.org:80/v1/y", "ftp://example.org/"] {
            #expect(try error(to: next) == .refused(status: 308, words: "status 308"))
        }
        let lesser = try error(at: "https://example.org/", to: "http://example.org/")
        #expect(lesser == .refused(status: 308, words: "status 308"))
    }

    @Test("Pauses between attempts are scattered over their upper half, and 8 s at most (seed 5)")
    func pauses() {
        var random = SeededGenerator(seed: 5)
        var backoff = Backoff.signaling
        var longest: [Duration] = []
        for ceiling in [250, 500, 1000, 2000, 4000, 8000, 8000, 8000] {
            let pause = backoff.next(using: &random)
            #expect(pause >= .milliseconds(ceiling / 2) && pause <= .milliseconds(ceiling))
            if ceiling == 8000 { longest.append(pause) }
        }
        #expect(Set(longest).count == 3)
    }

    @Test("The ledger holds what is answered and not yet over, with the tag and ufrag of the present ICE session")
    func ledger() throws {
        var random = SeededGenerator(seed: 6)
        let (one, two) = (RandomID(using: &random), RandomID(using: &random))
        let (tag, newTag) = (EntityTag(using: &random), EntityTag(using: &random))
        var ledger = SessionLedger()
        for id in [one, two] { ledger.take(.offer(.init(sessionId: id, sdp: Samples.offer, etag: tag))) }
        #expect(ledger.tickets.isEmpty)
        ledger.answered(one)
        ledger.answered(two)
        ledger.take(.left(.init(sessionId: two)))
        #expect(ledger.tickets == [SessionTicket(sessionId: one, etag: tag, ufrag: "EsAw")])
        ledger.take(.candidates(.init(sessionId: one, fragment: Samples.restart, restart: newTag)))
        #expect(ledger.tickets.first?.etag == tag)
        ledger.restarted(one, newTag)
        #expect(ledger.tickets == [SessionTicket(sessionId: one, etag: newTag, ufrag: "ysXw")])
        ledger.forget(one)
        #expect(ledger.tickets.isEmpty)
    }

    @Test("No error says more than it should: none holds an address or a token")
    func words() {
        let errors: [SignalingError] = [
            .unreachable(.connectionRefused), .unreachable(.timeout), .tokenRequired, .gone, .stale, .cancelled,
            .roomTaken(retryAfter: .seconds(1)), .unreadable("answer"),
        ]
        for error in errors {
            #expect(!error.description.contains("://"))
            #expect(error.description.count > 8)
        }
    }
}

let unusableAddresses = [
    "http://127.0.0.1:0", "http://127.0.0.1:65536", "https://127.0.0.1:99999", "http://[::1]:99999", "http://[::1",
    "http://example.org:99999", "http://example.org:99999999999999999999", "http://example.org:-1", "http://::1:18599",
    "http://user:1@example.org:65536", "http://[]", "http://[]:80", "http://%5B%5D", "http://:80",
]

enum Samples {
    static let offer =
        "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        + "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=recvonly\r\n"
    static let answer =
        "v=0\r\no=- 3 4 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        + "a=ice-ufrag:srvr\r\na=ice-pwd:0b66f472495ef0ccac7bda653ab6be49\r\na=sendonly\r\n"
    static let trickle =
        "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=ice-ufrag:EsAw\r\n"
        + "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host\r\n"
    static let restart =
        "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=ice-ufrag:ysXw\r\n"
        + "a=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k\r\n"
    static let restartReply = "a=ice-ufrag:new1\r\na=ice-pwd:0b66f472495ef0ccac7bda653ab6be49\r\n"
}
