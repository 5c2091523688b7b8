import Datagrams
import ICE
import NIOCore
import NIOSSL
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

@Suite("Relays: rules")
struct RelayRulesTests {
    private func server(_ text: String, _ credentials: RelayCredentials = .secret("s")) throws -> RelayServer {
        let uri = try ICEServerURI(text)
        return RelayServer(
            uri: uri, addresses: [try #require(uri.address)], credentials: credentials)
    }

    @Test("UDP comes before TCP, TCP before TLS, and then the server that is listed first")
    func preference() throws {
        let urls = ["turn:192.0.2.1", "turn:192.0.2.1?transport=tcp", "turns:192.0.2.1"]
        let ranks = try urls.flatMap { url in
            try (0..<Limits.relays).map { Relay(try server(url), index: $0, hidesAddress: false).localPreference }
        }
        #expect(ranks == ranks.sorted(by: >))
        #expect(Set(ranks).count == ranks.count)
    }

    @Test("a server may send us on twice, never back, and when that leads nowhere the first is asked again")
    func redirections() throws {
        let others = (1...3).map { TransportAddress(ip: .v4(0xC633_6400 + UInt32($0)), port: 3478) }
        var asked = try server("turn:192.0.2.1")
        let first = try #require(asked.address)
        let steps = [first, others[0], first, others[0], others[1], others[2]].map { asked.redirect(to: $0, at: .zero) }
        #expect(steps == [false, true, false, false, true, false])
        #expect(asked.address == others[1])
        asked.turnToNextAddress()
        #expect(asked.address == first)
        // Two that give an address and send us to and fro are followed no further; a minute later they may send us on.
        let toAndFro = (0..<8).map { asked.redirect(to: others[$0 % 2], at: Instant.zero + Duration.seconds(7 * Int64($0))) }
        #expect(toAndFro.count { $0 } == 0)
        asked.turnToNextAddress()
        let again = others.enumerated().map { index, other in
            asked.redirect(to: other, at: Instant.zero + Duration.seconds(100 + 61 * Int64(index)))
        }
        #expect(again == [true, true, true])
        #expect(asked.address == others[2])
        asked.found([TransportAddress(ip: first.ip, port: 3479)])
        #expect(asked.address?.port == 3479)
    }

    @Test("of two that are one server over UDP the first is asked; at another port, or in a connection, it is another")
    func selection() throws {
        let first = try server("turn:192.0.2.1")
        let alias = RelayServer(
            uri: try ICEServerURI("turn:somewhere.invalid"), addresses: first.addresses, credentials: .secret("s"))
        let others = try ["turn:192.0.2.1:53", "turn:192.0.2.1?transport=tcp"].map { try server($0) }
        let chosen = RelayServer.selection(of: [first, alias] + others + [first], besides: [])
        #expect(chosen.map(\.uri) == [first.uri] + others.map(\.uri))
        #expect(RelayServer.selection(of: [alias], besides: [first]).isEmpty)
    }

    @Test("of more than there is room for one of each kind is asked, and of TLS the one at port 443")
    func kinds() throws {
        let udp = ["turn:192.0.2.1", "turn:192.0.2.1:53"]
        let tcp = ["turn:192.0.2.1?transport=tcp", "turn:192.0.2.1:80?transport=tcp"]
        let tls = ["turns:192.0.2.1", "turns:192.0.2.1:443"]
        func chosen(_ urls: [String]) throws -> [String] {
            let uris = RelayServer.selection(of: try urls.map { try server($0) }, besides: []).map(\.uri)
            return try urls.filter { url in uris.contains(try ICEServerURI(url)) }
        }
        #expect(try chosen(udp + tcp + tls) == udp + [tcp[0], tls[1]])
        #expect(try chosen(tls + tcp + udp) == tls + [tcp[0], udp[0]])
        #expect(try chosen(udp + tcp) == udp + tcp)
        #expect(try chosen(tcp + udp + [tls[0]]) == tcp + [udp[0], tls[0]])
    }

    @Test("a name that is looked up again keeps the family whose turn it is, where it still has that")
    func families() throws {
        let six = TransportAddress(ip: try #require(IPAddress("2001:db8::1")), port: 3478)
        let fours = (1...2).map { TransportAddress(ip: .v4(0xC000_0200 + UInt32($0)), port: 3478) }
        var asked = RelayServer(
            uri: try ICEServerURI("turn:somewhere.invalid"), addresses: [six, fours[0]], credentials: .secret("s"))
        asked.turnToNextAddress()
        asked.found([six, fours[1]])
        #expect(asked.addresses == [fours[1], six])
        asked.found([six])
        #expect(asked.addresses == [six])
    }

    @Test("a relay without an allocation has no candidates, and no result until something is known")
    func nothingYet() throws {
        let relay = Relay(try server("turn:192.0.2.1?transport=tcp"), index: 0, hidesAddress: false)
        #expect(relay.candidates.isEmpty)
        #expect(!relay.hasResult)
        relay.failure = .untrusted
        #expect(relay.hasResult)
    }

    @Test("our own address as the server sees it is told where it is of the socket's family")
    func reflexive() throws {
        let outside = TransportAddress(ip: .v4(0xC633_6407), port: 6000)
        let translated = TransportAddress(ip: try #require(IPAddress("2001:db8::7")), port: 6000)
        #expect(try candidates(mapped: outside).map(\.type) == [.relayed, .serverReflexive])
        let relayed = try candidates(mapped: translated)
        #expect(relayed.map(\.type) == [.relayed])
        #expect(relayed.first?.relatedAddress == translated)
    }

    /// What a relay gives whose server sees our IPv4 socket as `mapped`.
    private func candidates(mapped: TransportAddress) throws -> [Candidate] {
        let relay = Relay(try server("turn:192.0.2.1"), index: 0, hidesAddress: false)
        let credentials = try #require(TURNCredentials(username: "a", password: "b"))
        let configuration = TURNConfiguration(
            server: try #require(relay.server.address), base: TransportAddress(ip: .v4(0xC000_0202), port: 5000),
            credentials: credentials)
        var client = TURNClient(
            configuration, authenticator: TestAuthenticator(), random: SeededGenerator(seed: 1), at: .zero)
        try answer(&client, .error, [.errorCode(.unauthenticated), .realm("r"), .nonce("n")])
        let key = STUNMessage.longTermKey(username: "a", realm: "r", password: "b", with: TestAuthenticator())
        let relayed = TransportAddress(ip: .v4(0xC000_0201), port: 50_000)
        try answer(
            &client, .success, [.xorRelayedAddress(relayed), .xorMappedAddress(mapped), .lifetime(600)], key: key)
        relay.client = client
        return relay.candidates
    }

    /// The server's answer to the request that the client has made last.
    private func answer(
        _ client: inout TURNClient, _ messageClass: STUNClass, _ attributes: [STUNAttribute], key: [UInt8]? = nil
    ) throws {
        var request: [UInt8]?
        while case .transmit(let bytes) = client.nextOutput() { request = bytes }
        let asked = try #require(request)
        let header = try STUNHeader(asked.span.bytes)
        let message = STUNMessage(STUNHeader(messageClass, header.method, header.transactionID), attributes)
        let reply = key.map { message.encoded(key: $0, with: TestAuthenticator()) } ?? message.encoded()
        let configuration = client.configuration
        _ = client.receive(reply.span.bytes, local: configuration.base, from: configuration.server, at: .zero)
    }

    @Test("credentials of a secret lapse a day after their hour began, the same all of that hour; a password stays")
    func credentials() throws {
        let authenticator = TestAuthenticator()
        let made = RelayCredentials.secret("north").make(unixTime: 1_000_000, with: authenticator)
        #expect(made?.username == "1083600")
        for unixTime: Int64 in [997_200, 1_000_799] {
            #expect(RelayCredentials.secret("north").make(unixTime: unixTime, with: authenticator) == made)
        }
        #expect(RelayCredentials.secret("north").make(unixTime: 1_000_800, with: authenticator) != made)
        let own = try #require(TURNCredentials(username: "a", password: "b"))
        #expect(RelayCredentials.password(own).make(unixTime: 1_000_000, with: authenticator) == own)
    }

    @Test("credentials say nothing of themselves")
    func silence() throws {
        let own = try #require(TURNCredentials(username: "alice", password: "wonder"))
        for credentials in [RelayCredentials.password(own), .secret("wonder")] {
            #expect(!"\(credentials)".contains("wonder"))
            #expect(!String(reflecting: credentials).contains("wonder"))
        }
    }

    @Test("what the server knows nobody by is a refusal; what may pass is none")
    func refusals() {
        #expect(RelayFailure.turn(.credentialsRejected).isRefusal)
        #expect(RelayFailure.turn(.notAuthenticated).isRefusal)
        let others: [RelayFailure] = [
            .turn(.noAnswer), .turn(.quotaReached), .untrusted, .unreachable("x"), .noLocalAddress,
        ]
        #expect(others.allSatisfy { !$0.isRefusal })
    }

    @Test("errors of a connection, as they are told")
    func errors() {
        #expect(RelayConnection.failure(IOError(errnoCode: 111, reason: "")) == .unreachable("connection refused"))
        let late = ChannelError.connectTimeout(.seconds(1))
        #expect(RelayConnection.failure(late) == .unreachable("it did not answer in time"))
        #expect(RelayConnection.failure(NIOSSLExtraError.failedToValidateHostname) == .untrusted)
        #expect(RelayConnection.failure(NIOSSLError.unableToValidateCertificate) == .untrusted)
        #expect(RelayConnection.failure(NIOSSLError.uncleanShutdown) == .unreachable("TLS failed"))
    }

    @Test("STUN servers are named by URLs of RFC 7064; others are none", arguments: [
        ("stun:192.0.2.1", "192.0.2.1:3478"), ("stun:192.0.2.1:99", "192.0.2.1:99"), ("turn:192.0.2.1", nil),
        ("stuns:192.0.2.1", nil), ("stun:", nil), ("192.0.2.1", nil),
    ])
    func stunServers(_ url: String, _ address: String?) async {
        let addresses = await STUNServer.resolve(url)?.addresses.map { "\($0)" }
        #expect(addresses == address.map { [$0] })
    }

    @Test("a STUN server's name that nobody knows any more stands for what it did")
    func unknownSTUNServer() throws {
        let (first, second) = (TransportAddress(ip: .loopback, port: 1), TransportAddress(ip: .loopback, port: 2))
        var server = STUNServer(uri: try ICEServerURI("stun:somewhere.invalid"), addresses: [first])
        let isOther = [[], [first], [second]].map { server.found($0) }
        #expect(isOther == [false, false, true])
        #expect(server.addresses == [second])
    }
}
