import Datagrams
import Testing

@testable import ICE

@Suite("STUN messages")
struct STUNMessageTests {
    private let authenticator = TestAuthenticator()
    private let id = TransactionID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C)
    private let key = Array("a key of some length".utf8)

    private static let v4 = TransportAddress(ip: .v4(0xCB00_7109), port: 40000)
    private static let v6 = TransportAddress(ip: .v6(high: 0x2001_0DB8_0000_0001, low: 0xFEDC_BA98_7654_3210), port: 9)

    private static let attributes: [STUNAttribute] = [
        .mappedAddress(v4), .mappedAddress(v6), .xorMappedAddress(v4), .xorMappedAddress(v6), .alternateServer(v4),
        .otherAddress(v4), .otherAddress(v6),
        .username("name:größe"), .realm("realm"), .nonce("nonce 1"), .software(""),
        .errorCode(STUNErrorCode(487, "Role Conflict")), .errorCode(.badRequest), .errorCode(STUNErrorCode(699)),
        .unknownAttributes([]), .unknownAttributes([0x7FFF, 1, 2]), .priority(.max), .useCandidate,
        .iceControlled(.max), .iceControlling(1), .raw(STUNAttributeType(0x001B), [1, 2, 3, 4, 5]),
        .raw(STUNAttributeType(0xC057), []), .channelNumber(0x4FFF), .lifetime(.max), .xorPeerAddress(v4),
        .xorPeerAddress(v6), .data([]), .data([1, 2, 3]), .xorRelayedAddress(v6), .requestedAddressFamily(2),
        .requestedTransport(17),
    ]

    @Test("every attribute comes back as it was written", arguments: attributes)
    func roundTrip(_ attribute: STUNAttribute) throws {
        let bytes = STUNMessage(.request, id, [attribute]).encoded()
        #expect(bytes.count % 4 == 0)
        let message = try STUNMessage(bytes)
        #expect(message.attributes.first == attribute)
        #expect(message.attributes.count == 2)
        #expect(message.hasFingerprint)
    }

    @Test("class and method share the type's bits as figure 3 of RFC 8489 draws them")
    func types() throws {
        #expect(STUNHeader(.success, .binding, id).type == 0x0101)
        #expect(STUNHeader(.error, .binding, id).type == 0x0111)
        #expect(STUNHeader(.indication, .binding, id).type == 0x0011)
        for messageClass in [STUNClass.request, .indication, .success, .error] {
            for method in 0..<UInt16(0x1000) {
                let header = STUNHeader(messageClass, STUNMethod(rawValue: method), id)
                #expect(try STUNHeader(header.bytes) == header)
            }
        }
    }

    @Test("unknown attributes that must be understood are named, optional ones are not")
    func unknown() throws {
        let attributes: [STUNAttribute] = [
            .raw(STUNAttributeType(0x001B), [0, 0, 0, 1]), .raw(STUNAttributeType(0x8888), [1]), .priority(1),
            .raw(STUNAttributeType(0x7ABC), []),
        ]
        let message = try STUNMessage(STUNMessage(.request, id, attributes).encoded())
        #expect(message.unknownRequired == [0x001B, 0x7ABC])
    }

    @Test(
        "a value of TURN's that is too short or too long makes the message malformed",
        arguments: [0x000C, 0x000D, 0x0012, 0x0016, 0x0017, 0x0019] as [UInt16], [0, 3, 5])
    func malformed(type: UInt16, count: Int) {
        let attribute = STUNAttribute.raw(STUNAttributeType(type), [UInt8](repeating: 1, count: count))
        #expect(throws: STUNError.malformedAttribute(type)) {
            try STUNMessage(STUNMessage(.request, id, [attribute]).encoded())
        }
    }

    // MARK: Integrity

    @Test("SHA-256 integrity is written and proved")
    func sha256() throws {
        let message = STUNMessage(.request, id, [.username("a:b")])
        let bytes = message.encoded(key: key, algorithm: .sha256, with: authenticator)
        #expect(STUNMessage.verify(bytes, key: key) == .sha256)
        #expect(STUNMessage.verify(bytes, key: key + [1]) == nil)
    }

    @Test("where both integrities are present, SHA-256 decides")
    func both() throws {
        let sha1 = STUNMessage(.request, id, [.priority(7)]).encoded(key: key, with: authenticator, fingerprint: false)
        let first = try STUNMessage(sha1)
        let right = first.encoded(key: key, algorithm: .sha256, with: authenticator)
        #expect(STUNMessage.verify(right, key: key) == .sha256)
        let wrong = first.encoded(key: [1], algorithm: .sha256, with: authenticator)
        #expect(STUNMessage.verify(wrong, key: key) == nil)
    }

    @Test("a shortened SHA-256 integrity proves nothing")
    func shortened() {
        let code = STUNAttribute.messageIntegritySHA256([UInt8](repeating: 0, count: 16))
        let bytes = STUNMessage(.request, id, [code]).encoded()
        #expect(STUNMessage.verify(bytes, key: key) == nil)
    }

    @Test("what follows message integrity is not part of the message")
    func smuggled() throws {
        let request = STUNMessage(.request, id, [.priority(7)])
        let signed = request.encoded(key: key, with: authenticator, fingerprint: false)
        var message = try STUNMessage(signed)
        message.attributes += [.useCandidate, .username("x:y"), .raw(STUNAttributeType(0x7ABC), [])]
        let bytes = message.encoded()
        let read = try STUNMessage(bytes)
        #expect(!read.usesCandidate)
        #expect(read.username == nil)
        #expect(read.unknownRequired.isEmpty)
        #expect(STUNMessage.verify(bytes, key: key) == .sha1)
    }

    @Test("a message without integrity proves nothing, whatever the key")
    func unsigned() {
        let bytes = STUNMessage(.success, id, [.xorMappedAddress(Self.v4)]).encoded()
        #expect(STUNMessage.verify(bytes, key: []) == nil)
    }

    @Test("codes of different lengths are never equal")
    func constantTime() {
        #expect(equalInConstantTime([1, 2], [1, 2]))
        #expect(!equalInConstantTime([1, 2], [1, 2, 0]))
        #expect(!equalInConstantTime([1, 2], [1, 3]))
    }
}
