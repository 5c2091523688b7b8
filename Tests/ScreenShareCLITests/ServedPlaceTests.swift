import Testing

@testable import ScreenShareCLI

@Suite("Where a server of ours is found")
struct ServedPlaceTests {
    private func place(
        _ listen: String, ipv4: String? = nil, ipv6: String? = nil, hasIPv6Loopback: Bool = true
    ) throws -> ServedPlace {
        let machine = ServedPlace.Machine(ipv4: ipv4, ipv6: ipv6, hasIPv6Loopback: hasIPv6Loopback)
        return ServedPlace(try #require(ListenAddress(argument: listen)), port: 8081, on: machine)
    }

    @Test("one that listens on this machine alone is told by its address or a name reserved for that", arguments: [
        ("127.0.0.1:80", true), ("127.1.2.3", true), ("localhost:8080", true), ("[::1]:8080", true), ("8080", true),
        ("127.example.org:8080", false), ("demo.localhost:8080", false), ("Demo.Localhost.:8080", false), ("0.0.0.0", false), ("[::]:8080", false), ("192.0.2.1", false), (":8080", false),
    ])
    func loopback(listen: String, isLoopback: Bool) throws {
        #expect(try #require(ListenAddress(argument: listen)).isLoopback == isLoopback)
    }

    @Test("one that listens at an address is found there", arguments: [
        ("127.0.0.1:80", "127.0.0.1:8081"), ("192.0.2.1:0", "192.0.2.1:8081"), ("[fd00::1]:80", "[fd00::1]:8081"),
    ])
    func address(listen: String, place: String) throws {
        let found = try self.place(listen, ipv4: "192.0.2.9", ipv6: "fd00::9")
        #expect(found.own == place && found.reachable == place && found.note == nil)
    }

    @Test("one that listens at 0.0.0.0 is found by IPv4 alone, and who has none is told how others find it")
    func ipv4() throws {
        let both = try place("0.0.0.0:0", ipv4: "192.0.2.9", ipv6: "fd00::9")
        #expect(both.own == "127.0.0.1:8081" && both.reachable == "192.0.2.9:8081" && both.note == nil)
        let without = try place(":8080", ipv6: "fd00::9")
        #expect(without.own == "127.0.0.1:8081" && without.reachable == "127.0.0.1:8081")
        #expect(without.note?.hasSuffix("for them take --listen '[::]:8080'.") == true)
        let alone = try place("0.0.0.0:8080")
        #expect(alone.reachable == "127.0.0.1:8081" && alone.note == nil, "nobody else is there")
    }

    @Test("one that listens at :: is found by IPv6, and by IPv4 where there is nothing else")
    func ipv6() throws {
        let both = try place("[::]:8080", ipv4: "192.0.2.9", ipv6: "fd00::9")
        #expect(both.own == "[::1]:8081" && both.reachable == "[fd00::9]:8081")
        let off = try place("[::]:8080", ipv4: "192.0.2.9", hasIPv6Loopback: false)
        #expect(off.own == "127.0.0.1:8081" && off.reachable == "192.0.2.9:8081" && off.note == nil)
        #expect(try place("[::]:8080").reachable == "[::1]:8081")
    }
}
