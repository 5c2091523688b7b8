import Datagrams

extension STUNAttribute {
    /// The attribute whose value lies in `range`; nil where the value does not fit the type.
    init?(_ type: STUNAttributeType, _ range: Range<Int>, of bytes: RawSpan, _ transactionID: TransactionID) {
        guard let value = Self.known(type, range, of: bytes, transactionID) else { return nil }
        self = value
    }

    private static func known(
        _ type: STUNAttributeType, _ range: Range<Int>, of bytes: RawSpan, _ id: TransactionID
    ) -> STUNAttribute? {
        switch type {
        case .mappedAddress: address(range, of: bytes).map(STUNAttribute.mappedAddress)
        case .alternateServer: address(range, of: bytes).map(STUNAttribute.alternateServer)
        case .otherAddress: address(range, of: bytes).map(STUNAttribute.otherAddress)
        case .xorMappedAddress: address(range, of: bytes).map { .xorMappedAddress($0.xored(with: id)) }
        case .xorPeerAddress: address(range, of: bytes).map { .xorPeerAddress($0.xored(with: id)) }
        case .xorRelayedAddress: address(range, of: bytes).map { .xorRelayedAddress($0.xored(with: id)) }
        case .username: text(range, of: bytes).map(STUNAttribute.username)
        case .realm: text(range, of: bytes).map(STUNAttribute.realm)
        case .nonce: text(range, of: bytes).map(STUNAttribute.nonce)
        case .software: text(range, of: bytes).map(STUNAttribute.software)
        case .errorCode: errorCode(range, of: bytes)
        case .unknownAttributes: unknownAttributes(range, of: bytes)
        case .useCandidate: range.isEmpty ? .useCandidate : nil
        case .priority, .fingerprint: number32(type, range, of: bytes)
        case .channelNumber, .lifetime, .requestedAddressFamily, .requestedTransport: turn(type, range, of: bytes)
        case .data: bytes.copy(range).map(STUNAttribute.data)
        case .iceControlled, .iceControlling: number64(type, range, of: bytes)
        case .messageIntegrity, .messageIntegritySHA256: integrity(type, range, of: bytes)
        default: bytes.copy(range).map { .raw(type, $0) }  // any number is a type, not only those we know
        }
    }

    private static func number32(_ type: STUNAttributeType, _ range: Range<Int>, of bytes: RawSpan) -> STUNAttribute? {
        guard range.count == 4, let value = bytes.u32(at: range.lowerBound) else { return nil }
        return type == .priority ? .priority(value) : .fingerprint(value)
    }

    /// TURN's attributes of 32 bits; what is reserved in them is ignored (RFC 8656 § 18).
    private static func turn(_ type: STUNAttributeType, _ range: Range<Int>, of bytes: RawSpan) -> STUNAttribute? {
        guard range.count == 4, let value = bytes.u32(at: range.lowerBound) else { return nil }
        return switch type {
        case .channelNumber: .channelNumber(UInt16(truncatingIfNeeded: value >> 16))
        case .requestedAddressFamily: .requestedAddressFamily(UInt8(truncatingIfNeeded: value >> 24))
        case .requestedTransport: .requestedTransport(UInt8(truncatingIfNeeded: value >> 24))
        default: .lifetime(value)  // the one that is left of those this is called for
        }
    }

    private static func number64(_ type: STUNAttributeType, _ range: Range<Int>, of bytes: RawSpan) -> STUNAttribute? {
        guard range.count == 8, let value = bytes.u64(at: range.lowerBound) else { return nil }
        return type == .iceControlled ? .iceControlled(value) : .iceControlling(value)
    }

    /// 20 bytes of SHA-1 (RFC 8489 § 14.5); 16 to 32 of SHA-256, in fours (§ 14.6).
    private static func integrity(_ type: STUNAttributeType, _ range: Range<Int>, of bytes: RawSpan) -> STUNAttribute? {
        guard let value = bytes.copy(range) else { return nil }
        if type == .messageIntegrity { return value.count == 20 ? .messageIntegrity(value) : nil }
        guard (16...32).contains(value.count), value.count % 4 == 0 else { return nil }
        return .messageIntegritySHA256(value)
    }

    /// RFC 8489 § 14.1: 8 bits ignored, family, port, then 4 or 16 bytes.
    static func address(_ range: Range<Int>, of bytes: RawSpan) -> TransportAddress? {
        var cursor = Cursor(range)
        guard cursor.u8(bytes) != nil, let family = cursor.u8(bytes), let port = cursor.u16(bytes) else { return nil }
        switch (family, cursor.remaining) {
        case (1, 4): return cursor.u32(bytes).map { TransportAddress(ip: .v4($0), port: port) }
        case (2, 16):
            guard let high = cursor.u64(bytes), let low = cursor.u64(bytes) else { return nil }
            return TransportAddress(ip: .v6(high: high, low: low), port: port)
        default: return nil  // a family without a number here, or a length that is not its own
        }
    }

    private static func text(_ range: Range<Int>, of bytes: RawSpan) -> String? {
        guard range.count <= Limits.textBytes, let copy = bytes.copy(range) else { return nil }
        return String(validating: copy, as: UTF8.self)
    }

    /// RFC 8489 § 14.8: 21 reserved bits, class 3…6, number 0…99, reason.
    private static func errorCode(_ range: Range<Int>, of bytes: RawSpan) -> STUNAttribute? {
        guard range.count >= 4, let word = bytes.u32(at: range.lowerBound),
            let reason = text((range.lowerBound + 4)..<range.upperBound, of: bytes)
        else { return nil }
        let (hundreds, number) = (UInt16(word >> 8 & 7), UInt16(word & 0xFF))
        guard (3...6).contains(hundreds), number <= 99 else { return nil }
        return .errorCode(STUNErrorCode(hundreds * 100 + number, reason))
    }

    private static func unknownAttributes(_ range: Range<Int>, of bytes: RawSpan) -> STUNAttribute? {
        guard range.count % 2 == 0 else { return nil }
        var (cursor, types) = (Cursor(range), [UInt16]())
        while let type = cursor.u16(bytes) { types.append(type) }
        return .unknownAttributes(types)
    }
}

extension TransportAddress {
    /// RFC 8489 § 14.2: port with the cookie's first half, address with cookie and transaction ID. Its own inverse.
    func xored(with id: TransactionID) -> TransportAddress {
        let cookie = STUNHeader.magicCookie
        let port = port ^ UInt16(truncatingIfNeeded: cookie >> 16)
        switch ip {
        case .v4(let bits): return TransportAddress(ip: .v4(bits ^ cookie), port: port)
        case .v6(let high, let low):
            let ip = IPAddress.v6(
                high: high ^ (UInt64(cookie) << 32 | id.high >> 32), low: low ^ (id.high << 32 | UInt64(id.low)))
            return TransportAddress(ip: ip, port: port)
        }
    }
}
