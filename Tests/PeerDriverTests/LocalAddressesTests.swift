import Datagrams
import Testing

@testable import PeerDriver

@Suite("This machine's addresses")
struct LocalAddressesTests {
    /// Of interfaces that are up, but for those after a minus.
    private func known(_ texts: String...) throws -> [LocalAddresses.Known] {
        try texts.map { text in
            let isDown = text.hasPrefix("-")
            return LocalAddresses.Known(ip: try ip(isDown ? String(text.dropFirst()) : text), isRunning: !isDown)
        }
    }

    private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func ips(_ texts: String...) throws -> [IPAddress] { try texts.map { try ip($0) } }

    @Test("what the system sends from comes first, then the others as they are listed, each once")
    func order() throws {
        let all = try known(
            "127.0.0.1", "172.17.0.1", "192.0.2.1", "192.0.2.1", "192.0.2.7", "fe80::1", "2001:db8::1", "2001:db8::2")
        let ranked = LocalAddresses.rank(all, preferred: try ips("192.0.2.7", "2001:db8::2", "198.51.100.1"))
        let expected = try ips("192.0.2.7", "2001:db8::2", "172.17.0.1", "192.0.2.1", "2001:db8::1")
        #expect(ranked == expected)
    }

    @Test("an interface that is down is left out, unless there is no other, and loopback is the last resort")
    func down() throws {
        let first = try ip("192.0.2.1")
        let second = try ip("192.0.2.2")
        #expect(LocalAddresses.rank(try known("127.0.0.1", "-192.0.2.2", "192.0.2.1"), preferred: [second]) == [first])
        #expect(LocalAddresses.rank(try known("127.0.0.1", "-192.0.2.1"), preferred: []) == [first])
        #expect(LocalAddresses.rank(try known("127.0.0.1"), preferred: []) == [.loopback])
    }

    @Test("a socket goes with its address, but not with the cable, and an address that comes has one")
    func change() throws {
        let bound = try ips("192.0.2.1", "192.0.2.2")
        func change(_ all: [LocalAddresses.Known]) -> LocalAddresses.Change? {
            LocalAddresses.change(of: bound, to: all, preferred: [], isInUse: { _ in false })
        }
        let left = change(try known("127.0.0.1", "-192.0.2.1", "192.0.2.3", "-192.0.2.4"))
        let (gone, come) = (try ips("192.0.2.2"), try ips("192.0.2.3"))
        #expect(left == LocalAddresses.Change(gone: gone, come: come))
        #expect(change(try known("127.0.0.1", "-192.0.2.1", "192.0.2.2")) == LocalAddresses.Change())
        #expect(change(try known("127.0.0.1")) == nil)
    }

    @Test("where all places are taken, what the system sends from takes that of one which nobody uses")
    func full() throws {
        let bound = (1...UInt32(Limits.localAddresses)).map { IPAddress.v4(0xC000_0200 + $0) }
        let come = (11...UInt32(13)).map { IPAddress.v4(0xC000_0200 + $0) }
        let all = (bound + come).map { LocalAddresses.Known(ip: $0, isRunning: true) }
        func change(preferred: [IPAddress], used: [IPAddress]) -> LocalAddresses.Change? {
            LocalAddresses.change(of: bound, to: all, preferred: preferred, isInUse: { used.contains($0) })
        }
        #expect(change(preferred: [bound[0]], used: []) == LocalAddresses.Change())
        let moved = change(preferred: [bound[0], come[1]], used: [bound[1]])
        #expect(moved == LocalAddresses.Change(gone: [bound[2]], come: [come[1]]))
        #expect(change(preferred: [come[1]], used: bound) == LocalAddresses.Change())
    }

    @Test("loopback runs, and what the system sends from is an address of an interface")
    func here() throws {
        let all = try LocalAddresses.known()
        #expect(all.contains { $0.ip == .loopback && $0.isRunning })
        let here = TransportAddress(ip: .loopback, port: 9)
        #expect(LocalAddresses.source(to: here) == IPAddress.loopback)
        #expect(LocalAddresses.preferred().allSatisfy { ip in all.contains { $0.ip == ip } })
        #expect(try LocalAddresses.select([]).count <= Limits.localAddresses)
    }
}
