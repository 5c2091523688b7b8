import Datagrams

/// An attribute's number. Types below 0x8000 must be understood, the others may be ignored (RFC 8489 § 14).
package struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    var mustBeUnderstood: Bool { rawValue < 0x8000 }

    // RFC 8489 § 18.3.
    static let mappedAddress = STUNAttributeType(0x0001)
    static let username = STUNAttributeType(0x0006)
    static let messageIntegrity = STUNAttributeType(0x0008)
    static let errorCode = STUNAttributeType(0x0009)
    static let unknownAttributes = STUNAttributeType(0x000A)
    static let realm = STUNAttributeType(0x0014)
    static let nonce = STUNAttributeType(0x0015)
    static let messageIntegritySHA256 = STUNAttributeType(0x001C)
    static let xorMappedAddress = STUNAttributeType(0x0020)
    static let software = STUNAttributeType(0x8022)
    static let alternateServer = STUNAttributeType(0x8023)
    static let fingerprint = STUNAttributeType(0x8028)
    static let passwordAlgorithm = STUNAttributeType(0x001D)
    static let passwordAlgorithms = STUNAttributeType(0x8002)
    /// RFC 5780 § 7.4.
    static let otherAddress = STUNAttributeType(0x802C)
    // RFC 8656 § 18.
    static let channelNumber = STUNAttributeType(0x000C)
    static let lifetime = STUNAttributeType(0x000D)
    static let xorPeerAddress = STUNAttributeType(0x0012)
    static let data = STUNAttributeType(0x0013)
    static let xorRelayedAddress = STUNAttributeType(0x0016)
    static let requestedAddressFamily = STUNAttributeType(0x0017)
    static let requestedTransport = STUNAttributeType(0x0019)
    // RFC 8445 § 16.1.
    static let priority = STUNAttributeType(0x0024)
    static let useCandidate = STUNAttributeType(0x0025)
    static let iceControlled = STUNAttributeType(0x8029)
    static let iceControlling = STUNAttributeType(0x802A)
}

/// An attribute with its meaning; what we have no word for stays as it came.
package enum STUNAttribute: Hashable, Sendable {
    case mappedAddress(TransportAddress)
    /// The address itself; only on the wire is it mixed with cookie and transaction ID.
    case xorMappedAddress(TransportAddress)
    case username(String)
    case messageIntegrity([UInt8])
    case messageIntegritySHA256([UInt8])
    case fingerprint(UInt32)
    case errorCode(STUNErrorCode)
    case unknownAttributes([UInt16])
    case realm(String)
    case nonce(String)
    case software(String)
    case alternateServer(TransportAddress)
    case otherAddress(TransportAddress)
    case priority(UInt32)
    case useCandidate
    case iceControlled(UInt64)
    case iceControlling(UInt64)
    case channelNumber(UInt16)
    /// In seconds.
    case lifetime(UInt32)
    case xorPeerAddress(TransportAddress)
    case data([UInt8])
    case xorRelayedAddress(TransportAddress)
    /// 1: IPv4, 2: IPv6 (RFC 8489 § 14.1).
    case requestedAddressFamily(UInt8)
    /// 17: UDP, the only one (RFC 8656 § 18.8).
    case requestedTransport(UInt8)
    case raw(STUNAttributeType, [UInt8])

    package var type: STUNAttributeType {
        switch self {
        case .mappedAddress: .mappedAddress
        case .xorMappedAddress: .xorMappedAddress
        case .username: .username
        case .messageIntegrity: .messageIntegrity
        case .messageIntegritySHA256: .messageIntegritySHA256
        case .fingerprint: .fingerprint
        case .errorCode: .errorCode
        case .unknownAttributes: .unknownAttributes
        case .realm: .realm
        case .nonce: .nonce
        case .software: .software
        case .alternateServer: .alternateServer
        case .otherAddress: .otherAddress
        case .priority: .priority
        case .useCandidate: .useCandidate
        case .iceControlled: .iceControlled
        case .iceControlling: .iceControlling
        case .channelNumber: .channelNumber
        case .lifetime: .lifetime
        case .xorPeerAddress: .xorPeerAddress
        case .data: .data
        case .xorRelayedAddress: .xorRelayedAddress
        case .requestedAddressFamily: .requestedAddressFamily
        case .requestedTransport: .requestedTransport
        case .raw(let type, _): type
        }
    }
}
