import Datagrams
import Testing

@testable import ICE

@Suite("STUN messages of RFC 5769")
struct STUNVectorTests {
    private let authenticator = TestAuthenticator()

    @Test("the request is read, and its integrity proves the password")
    func request() throws {
        let message = try STUNMessage(Vectors.request)
        #expect(message.header == STUNHeader(.request, .binding, message.transactionID))
        #expect(message.transactionID == TransactionID(high: 0xB7E7_A701_BC34_D686, low: 0xFA87_DFAE))
        #expect(message.attributes.first == .software("STUN test client"))
        #expect(message.username == "evtj:h6vY")
        #expect(message.priority == 0x6E00_01FF)
        #expect(message.iceControlled == 0x932F_F9B1_5126_3B36)
        #expect(message.hasFingerprint)
        #expect(verify(Vectors.request, Vectors.password) == .sha1)
        #expect(verify(Vectors.request, Vectors.password.dropLast()) == nil)
    }

    @Test("the IPv4 response gives the mapped address")
    func responseV4() throws {
        let message = try STUNMessage(Vectors.responseV4)
        #expect(message.messageClass == .success)
        #expect(message.xorMappedAddress == TransportAddress(ip: .v4(0xC000_0201), port: 32853))
        #expect(verify(Vectors.responseV4, Vectors.password) == .sha1)
    }

    @Test("the IPv6 response gives the mapped address")
    func responseV6() throws {
        let message = try STUNMessage(Vectors.responseV6)
        let ip = try #require(IPAddress("2001:db8:1234:5678:11:2233:4455:6677"))
        #expect(message.xorMappedAddress == TransportAddress(ip: ip, port: 32853))
        #expect(verify(Vectors.responseV6, Vectors.password) == .sha1)
    }

    @Test("the long-term request is read, verified, and written again byte for byte")
    func longTerm() throws {
        var message = try STUNMessage(Vectors.longTermRequest)
        let username = "\u{30DE}\u{30C8}\u{30EA}\u{30C3}\u{30AF}\u{30B9}"
        #expect(message.username == username)
        #expect(message.attributes[1] == .nonce("f//499k954d6OL34oL9FSTvy64sA"))
        #expect(message.attributes[2] == .realm("example.org"))
        let key = STUNMessage.longTermKey(
            username: username, realm: "example.org", password: "TheMatrIX", with: authenticator)
        #expect(verify(Vectors.longTermRequest, key) == .sha1)
        message.attributes.removeLast()
        #expect(message.encoded(key: key, with: authenticator, fingerprint: false) == Vectors.longTermRequest)
    }

    @Test("the long-term key is the one of RFC 8489 § 9.2.2")
    func longTermKey() {
        let key = STUNMessage.longTermKey(username: "user", realm: "realm", password: "pass", with: authenticator)
        #expect(key.hexText == "8493fbc53ba582fb4c044c456bdc40eb")
    }

    @Test("the others are written again with zeros as padding, and are proved again", arguments: 0..<3)
    func written(index: Int) throws {
        let original = try STUNMessage(Vectors.all[index])
        var message = original
        message.attributes.removeLast(2)
        let bytes = message.encoded(key: Vectors.password, with: authenticator)
        #expect(bytes.count == Vectors.all[index].count)
        #expect(verify(bytes, Vectors.password) == .sha1)
        let again = try STUNMessage(bytes)
        #expect(again.attributes.dropLast(2) == original.attributes.dropLast(2))
    }

    @Test("one changed bit anywhere is noticed, even in padding", arguments: 0..<3)
    func changed(index: Int) {
        for offset in Vectors.all[index].indices {
            var bytes = Vectors.all[index]
            bytes[offset] ^= 0x10
            // A fingerprint whose type was changed is none, which ICE does not accept.
            let isRead = (try? STUNMessage(bytes))?.hasFingerprint == true
            let isProved = isRead && verify(bytes, Vectors.password) != nil
            #expect(!isProved, "offset \(offset)")
        }
    }

    private func verify(_ bytes: [UInt8], _ key: some Sequence<UInt8>) -> IntegrityAlgorithm? {
        STUNMessage.verify(bytes, key: Array(key))
    }
}
