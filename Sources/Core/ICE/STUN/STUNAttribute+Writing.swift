import Datagrams

extension STUNAttribute {
    /// Appends type, length, value and the zeros up to a multiple of four (RFC 8489 § 14).
    func write(to bytes: inout [UInt8], _ transactionID: TransactionID) {
        let value = value(transactionID)
        bytes.append(u16: type.rawValue)
        bytes.append(u16: UInt16(clamping: value.count))
        bytes += value.prefix(Int(UInt16.max))
        while bytes.count % 4 != 0 { bytes.append(0) }
    }

    private func value(_ id: TransactionID) -> [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .mappedAddress(let address), .alternateServer(let address), .otherAddress(let address):
            Self.write(address, to: &bytes)
        case .xorMappedAddress(let address): Self.write(address.xored(with: id), to: &bytes)
        case .xorPeerAddress(let address), .xorRelayedAddress(let address):
            Self.write(address.xored(with: id), to: &bytes)
        case .username(let text), .realm(let text), .nonce(let text), .software(let text): bytes += text.utf8
        case .messageIntegrity(let value), .messageIntegritySHA256(let value), .data(let value), .raw(_, let value):
            bytes = value
        case .fingerprint(let value), .priority(let value), .lifetime(let value): bytes.append(u32: value)
        case .channelNumber(let number): bytes.append(u32: UInt32(number) << 16)
        case .requestedAddressFamily(let code), .requestedTransport(let code): bytes.append(u32: UInt32(code) << 24)
        case .iceControlled(let value), .iceControlling(let value): bytes.append(u64: value)
        case .useCandidate: break
        case .unknownAttributes(let types): for type in types { bytes.append(u16: type) }
        case .errorCode(let error):
            bytes.append(u16: 0)
            bytes.append(u8: UInt8(truncatingIfNeeded: error.code / 100))
            bytes.append(u8: UInt8(truncatingIfNeeded: error.code % 100))
            bytes += error.reason.utf8
        }
        return bytes
    }

    static func write(_ address: TransportAddress, to bytes: inout [UInt8]) {
        bytes.append(u8: 0)
        bytes.append(u8: address.ip.isIPv6 ? 2 : 1)
        bytes.append(u16: address.port)
        bytes += address.ip.bytes
    }
}
