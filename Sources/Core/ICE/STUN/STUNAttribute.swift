import Datagrams

/// An attribute's number. Types below 0x8000 must be understood, the others may be ignored (RFC 8489 § 14).
package struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package var mustBeUnderstood: Bool { rawValue < 0x8000 }

    // RFC 8489 § 18.3.
    package static let mappedAddress = STUNAttributeType(0x0001)
    package static let username = STUNAttributeType(0x0006)
    package static let messageIntegrity = STUNAttributeType(0x0008)
    package static let errorCode = STUNAttributeType(0x0009)
    package static let unknownAttributes = STUNAttributeType(0x000A)
    package static let realm = STUNAttributeType(0x0014)
    package static let nonce = STUNAttributeType(0x0015)
    package static let messageIntegritySHA256 = STUNAttributeType(0x001C)
    package static let xorMappedAddress = STUNAttributeType(0x0020)
    package static let software = STUNAttributeType(0x8022)
    package static let alternateServer = STUNAttributeType(0x8023)
    package static let fingerprint = STUNAttributeType(0x8028)
    // RFC 8445 § 16.1.
    package static let priority = STUNAttributeType(0x0024)
    package static let useCandidate = STUNAttributeType(0x0025)
    package static let iceControlled = STUNAttributeType(0x8029)
    package static let iceControlling = STUNAttributeType(0x802A)
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
    case priority(UInt32)
    case useCandidate
    case iceControlled(UInt64)
    case iceControlling(UInt64)
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
        case .priority: .priority
        case .useCandidate: .useCandidate
        case .iceControlled: .iceControlled
        case .iceControlling: .iceControlling
        case .raw(let type, _): type
        }
    }
}
