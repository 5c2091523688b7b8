import Datagrams

/// A STUN message (RFC 8489 § 5): header and attributes, as a value.
///
/// Reading checks the form and the fingerprint; who sent it is another question, for `verify(_:key:with:)`.
package struct STUNMessage: Hashable, Sendable {
    package var header: STUNHeader
    package var attributes: [STUNAttribute]

    package init(_ header: STUNHeader, _ attributes: [STUNAttribute] = []) {
        self.header = header
        self.attributes = attributes
    }

    package init(
        _ messageClass: STUNClass, _ transactionID: TransactionID, _ attributes: [STUNAttribute] = []
    ) {
        self.init(STUNHeader(messageClass, .binding, transactionID), attributes)
    }

    /// Attributes after message integrity are not part of the message but for a second integrity and the fingerprint
    /// (RFC 8489 § 9), so they are left out: nobody vouches for them.
    package init(_ bytes: RawSpan) throws(STUNError) {
        header = try STUNHeader(bytes)
        attributes = []
        var walk = AttributeWalk(bytes)
        while let field = try walk.next(bytes) {
            guard let attribute = try Self.attribute(field, of: bytes, header.transactionID) else { continue }
            attributes.append(attribute)
        }
    }

    private static func attribute(
        _ field: AttributeWalk.Field, of bytes: RawSpan, _ id: TransactionID
    ) throws(STUNError) -> STUNAttribute? {
        guard let attribute = STUNAttribute(field.type, field.value, of: bytes, id) else {
            if field.type.mustBeUnderstood { throw .malformedAttribute(field.type.rawValue) }
            return bytes.copy(field.value).map { .raw(field.type, $0) }
        }
        if case .fingerprint(let value) = attribute, value != STUNMessage.fingerprint(of: bytes, upTo: field.start) {
            throw .wrongFingerprint
        }
        return attribute
    }

    /// CRC-32 of everything before the attribute, "XOR'ed with the 32-bit value 0x5354554e" (RFC 8489 § 14.7).
    static func fingerprint(of bytes: RawSpan, upTo end: Int) -> UInt32 {
        CRC32.checksum(of: bytes, upTo: end) ^ 0x5354_554E
    }
}

extension STUNMessage {
    package var messageClass: STUNClass { header.messageClass }
    package var transactionID: TransactionID { header.transactionID }

    /// The first value that `pick` takes; "only the first occurrence needs to be processed" (RFC 8489 § 14).
    private func first<Value>(_ pick: (STUNAttribute) -> Value?) -> Value? {
        for attribute in attributes {
            if let value = pick(attribute) { return value }
        }
        return nil
    }

    var username: String? { first { if case .username(let name) = $0 { name } else { nil } } }
    var priority: UInt32? { first { if case .priority(let value) = $0 { value } else { nil } } }
    var iceControlled: UInt64? { first { if case .iceControlled(let value) = $0 { value } else { nil } } }
    var iceControlling: UInt64? { first { if case .iceControlling(let value) = $0 { value } else { nil } } }
    var errorCode: STUNErrorCode? { first { if case .errorCode(let error) = $0 { error } else { nil } } }
    var xorMappedAddress: TransportAddress? {
        first { if case .xorMappedAddress(let address) = $0 { address } else { nil } }
    }
    var mappedAddress: TransportAddress? {
        first { if case .mappedAddress(let address) = $0 { address } else { nil } }
    }
    var otherAddress: TransportAddress? {
        first { if case .otherAddress(let address) = $0 { address } else { nil } }
    }
    var alternateServer: TransportAddress? {
        first { if case .alternateServer(let address) = $0 { address } else { nil } }
    }
    var realm: String? { first { if case .realm(let text) = $0 { text } else { nil } } }
    var nonce: String? { first { if case .nonce(let text) = $0 { text } else { nil } } }
    var lifetime: UInt32? { first { if case .lifetime(let seconds) = $0 { seconds } else { nil } } }
    var xorRelayedAddress: TransportAddress? {
        first { if case .xorRelayedAddress(let address) = $0 { address } else { nil } }
    }
    var xorPeerAddress: TransportAddress? {
        first { if case .xorPeerAddress(let address) = $0 { address } else { nil } }
    }
    var channelNumber: UInt16? { first { if case .channelNumber(let number) = $0 { number } else { nil } } }
    /// The value of PASSWORD-ALGORITHMS as it came (RFC 8489 § 14.11).
    var passwordAlgorithms: [UInt8]? {
        first { if case .raw(.passwordAlgorithms, let value) = $0 { value } else { nil } }
    }
    var usesCandidate: Bool { attributes.contains(.useCandidate) }
    /// Whether there is a fingerprint; one that is there is right.
    var hasFingerprint: Bool {
        attributes.contains { if case .fingerprint = $0 { true } else { false } }
    }
    package var hasIntegrity: Bool {
        attributes.contains { $0.type == .messageIntegrity || $0.type == .messageIntegritySHA256 }
    }

    /// What must be understood and is not: the content of a 420's UNKNOWN-ATTRIBUTES (RFC 8489 § 6.3.1).
    var unknownRequired: [UInt16] {
        attributes.compactMap { if case .raw(let type, _) = $0, type.mustBeUnderstood { type.rawValue } else { nil } }
    }
}
