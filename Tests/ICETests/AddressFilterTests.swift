import Datagrams
import Testing

@testable import ICE

@Suite("Which addresses may be sent checks")
struct AddressFilterTests {
    @Test("ports 80 and 443 are for addresses of the internet alone, those below 1024 for none", arguments: [
        ("203.0.113.7", 443, true), ("203.0.113.7", 80, true), ("203.0.113.7", 22, false), ("2001:db8::1", 443, true),
        ("10.0.0.1", 443, false), ("192.168.0.1", 80, false), ("100.64.1.1", 443, false), ("fd00::1", 443, false),
        ("127.0.0.1", 80, false), ("10.0.0.1", 1024, true), ("100.64.1.1", 50_000, true),
    ] as [(String, UInt16, Bool)])
    func ports(ip: String, port: UInt16, isAllowed: Bool) throws {
        let address = TransportAddress(ip: try #require(IPAddress(ip)), port: port)
        #expect(AddressFilter.allowsListed(address) == isAllowed)
    }
}
