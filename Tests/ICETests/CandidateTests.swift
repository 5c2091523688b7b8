import Datagrams
import TestSupport
import Testing

@testable import ICE

@Suite("Candidates")
struct CandidateTests {
    @Test("the priority is the formula of RFC 8445 § 5.1.2.1")
    func priorities() {
        #expect(Candidate.priority(of: .host, localPreference: 65_535) == 2_130_706_431)
        #expect(Candidate.priority(of: .serverReflexive, localPreference: 65_535) == 1_694_498_815)
        #expect(Candidate.priority(of: .relayed, localPreference: 0) == 255)
        let host = Candidate.host(TransportAddress(ip: .v4(0x0A00_0001), port: 5000), localPreference: 1000)
        #expect(host.peerReflexivePriority == Candidate.priority(of: .peerReflexive, localPreference: 1000))
    }

    @Test("IP headers are our own on the way of sockets' datagrams, not within a stream or from a relay of ours")
    func direct() throws {
        let server = IPAddress.v4(0x0A00_0009)
        let address = TransportAddress(ip: server, port: 4000)
        let host = Candidate.host(Pair.viewerSocket)
        let relayed = Candidate.relayed(address, mapped: nil, server: server)
        #expect(try #require(CandidatePair(host, .host(Pair.sharerSocket))).isDirect)
        #expect(try #require(CandidatePair(host, relayed)).isDirect, "the peer's relay forwards as it likes")
        #expect(try #require(CandidatePair(relayed, host)).isDirect == false)
        let listener = TransportAddress(ip: server, port: 5002, transport: .tcp)
        let stream = try #require(CandidatePair(.tcp(.active, address), .tcp(.passive, listener)))
        #expect(!stream.isDirect)
    }

    @Test("the pair priority is the formula of RFC 8445 § 6.1.2.3, seen from either side")
    func pairPriority() throws {
        let ours = Candidate.host(TransportAddress(ip: .v4(0x0A00_0001), port: 5000))
        var theirs = Candidate.host(TransportAddress(ip: .v4(0x0A00_0002), port: 5000))
        theirs.priority = 1000
        let here = try #require(CandidatePair(ours, theirs))
        let there = try #require(CandidatePair(theirs, ours))
        #expect(here.priority(.controlling) == 1000 << 32 + 2 * 2_130_706_431 + 1)
        #expect(here.priority(.controlled) == 1000 << 32 + 2 * 2_130_706_431)
        #expect(here.priority(.controlling) == there.priority(.controlled))
        #expect(here.priority(.controlled) == there.priority(.controlling))
    }

    @Test("foundations are equal for equal type, base address and server only")
    func foundations() {
        let (one, other) = (IPAddress.v4(0x0A00_0001), IPAddress.v4(0x0A00_0002))
        let host = Candidate.host(TransportAddress(ip: one, port: 1111))
        #expect(host.foundation == Candidate.host(TransportAddress(ip: one, port: 2222)).foundation)
        #expect(host.foundation != Candidate.host(TransportAddress(ip: other, port: 1111)).foundation)
        func reflexive(_ base: IPAddress, _ server: IPAddress) -> Candidate {
            let mapped = TransportAddress(ip: .v4(0xC000_0201), port: 7)
            return .serverReflexive(mapped, base: TransportAddress(ip: base, port: 1111), server: server)
        }
        #expect(reflexive(one, other).foundation == reflexive(one, other).foundation)
        #expect(reflexive(one, other).foundation != reflexive(one, one).foundation)
        #expect(reflexive(one, other).foundation != host.foundation)
    }

    // MARK: Text

    @Test("the example of RFC 8839 § 5.1 is read")
    func example() throws {
        let line = "a=candidate:2 1 UDP 1694498815 192.0.2.3 45664 typ srflx raddr 203.0.113.141 rport 8998"
        let candidate = try Candidate(line)
        #expect(candidate.foundation == "2")
        #expect(candidate.componentID == 1)
        #expect(candidate.transport == .udp)
        #expect(candidate.priority == 1_694_498_815)
        #expect(candidate.address == .ip(TransportAddress(ip: .v4(0xC000_0203), port: 45664)))
        #expect(candidate.type == .serverReflexive)
        #expect(candidate.relatedAddress == TransportAddress(ip: .v4(0xCB00_718D), port: 8998))
        #expect(candidate.base == nil)
    }

    @Test(
        "what browsers and other clients write comes back the same",
        arguments: [
            "candidate:1467250027 1 udp 2122260223 192.168.0.196 46243 typ host ufrag Q3zp",
            "candidate:842163049 1 udp 1677729535 2001:db8::1 46243 typ srflx raddr :: rport 0",
            "candidate:3 1 tcp 2122194687 192.168.0.196 9 typ host tcptype active",
            "candidate:+/a 2 udp 1 10.0.0.1 65535 typ prflx raddr 10.0.0.2 rport 1",
            "candidate:1 1 ssltcp 1 10.0.0.1 443 typ relay raddr 0.0.0.0 rport 9",
            "candidate:0 1 udp 2122252543 6f2e4d1a-0000-4c3b-8a4e-1234567890ab.local 53492 typ host",
        ])
    func roundTrip(_ line: String) throws {
        #expect(try Candidate(line).description == line)
    }

    @Test("extensions that mean nothing here are skipped")
    func extensions() throws {
        let line = "candidate:1 1 udp 2113937151 10.0.0.1 5000 typ host generation 0 ufrag abcd network-cost 999 odd"
        let candidate = try Candidate(line)
        #expect(candidate.ufrag == "abcd")
        #expect(candidate.description == "candidate:1 1 udp 2113937151 10.0.0.1 5000 typ host ufrag abcd")
    }

    @Test("an mDNS name is a candidate of its own kind, another host name is none")
    func names() throws {
        let candidate = try Candidate("candidate:1 1 udp 2113937151 Some-Name.LOCAL 5000 typ host")
        #expect(candidate.address == .mdns(name: "Some-Name.LOCAL", port: 5000))
        #expect(candidate.address.transportAddress == nil)
        #expect(error("candidate:1 1 udp 2113937151 host.example.org 5000 typ host") == .unsupportedAddress)
        #expect(error("candidate:1 1 udp 2113937151 .local 5000 typ host") == .unsupportedAddress)
        #expect(error("candidate:1 1 udp 2113937151 fe80::1%eth0 5000 typ host") == .unsupportedAddress)
    }

    @Test(
        "a line that breaks the grammar is refused",
        arguments: [
            "", "candidate:", "candidate:1 1 udp 1 10.0.0.1 5000 typ", "candidate:1 1 udp 1 10.0.0.1 5000 host host",
            "candidate:1 0 udp 1 10.0.0.1 5000 typ host", "candidate:1 257 udp 1 10.0.0.1 5000 typ host",
            "candidate:1 1 udp 0 10.0.0.1 5000 typ host", "candidate:1 1 udp 2147483648 10.0.0.1 5000 typ host",
            "candidate:1 1 udp +1 10.0.0.1 5000 typ host", "candidate:1 1 udp 1 10.0.0.1 65536 typ host",
            "candidate:1 1 udp 1 10.0.0.1 -1 typ host", "candidate:1_ 1 udp 1 10.0.0.1 5000 typ host",
            "candidate:123456789012345678901234567890123 1 udp 1 10.0.0.1 5000 typ host",
        ])
    func malformed(_ line: String) {
        #expect(error(line) == .malformed)
    }

    @Test("a line that is too long, or of a type nobody defined, is refused")
    func refused() {
        let line = "candidate:1 1 udp 1 10.0.0.1 5000 typ host"
        #expect(error(line + String(repeating: " x", count: 600)) == .tooLong)
        #expect(error("candidate:1 1 udp 1 10.0.0.1 5000 typ magic") == .unsupportedType)
    }

    private func error(_ line: String) -> CandidateError? {
        do throws(CandidateError) {
            _ = try Candidate(line)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Credentials

    @Test("credentials keep to the lengths and characters of RFC 8839 § 5.4")
    func credentials() {
        let password = String(repeating: "p", count: 22)
        #expect(ICECredentials(ufrag: "abcd", password: password) != nil)
        #expect(ICECredentials(ufrag: "abc", password: password) == nil)
        #expect(ICECredentials(ufrag: "abcd", password: String(password.dropLast())) == nil)
        #expect(ICECredentials(ufrag: "ab:d", password: password) == nil)
        #expect(ICECredentials(ufrag: "a-_=", password: password.dropLast() + "=") != nil, "as libnice has them")
        #expect(ICECredentials(ufrag: String(repeating: "a", count: 257), password: password) == nil)
    }

    @Test("random credentials are long enough and differ (seed 1)")
    func randomCredentials() {
        var random = SeededGenerator(seed: 1)
        let all = (0..<1000).map { _ in ICECredentials.random(using: &random) }
        #expect(Set(all.map(\.ufrag)).count == 1000)
        #expect(all.allSatisfy { ICECredentials(ufrag: $0.ufrag, password: $0.password) == $0 })
        #expect(all.allSatisfy { $0.ufrag.utf8.count == 8 && $0.password.utf8.count == 24 })
    }
}
