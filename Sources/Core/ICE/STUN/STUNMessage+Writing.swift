import Datagrams

extension STUNMessage {
    /// The message as it stands, with a fingerprint at the end unless told otherwise.
    package func encoded(fingerprint: Bool = true) -> [UInt8] {
        var bytes = body()
        if fingerprint { Self.appendFingerprint(to: &bytes) }
        return bytes
    }

    /// The message with its integrity (RFC 8489 §§ 14.5, 14.6), then the fingerprint.
    package func encoded(
        key: [UInt8], algorithm: IntegrityAlgorithm = .sha1, with authenticator: any MessageAuthenticator,
        fingerprint: Bool = true
    ) -> [UInt8] {
        var bytes = body()
        // The length covers the integrity attribute while its value is computed.
        Self.setLength(of: &bytes, adding: 4 + algorithm.byteCount)
        let code = algorithm.code(key: key, message: bytes, with: authenticator)
        algorithm.attribute(code).write(to: &bytes, transactionID)
        if fingerprint { Self.appendFingerprint(to: &bytes) }
        return bytes
    }

    private func body() -> [UInt8] {
        var bytes = header.bytes
        for attribute in attributes { attribute.write(to: &bytes, transactionID) }
        Self.setLength(of: &bytes, adding: 0)
        return bytes
    }

    /// RFC 8489 § 14.7: the length must "include the CRC attribute" before the CRC is computed.
    private static func appendFingerprint(to bytes: inout [UInt8]) {
        setLength(of: &bytes, adding: 8)
        let value = bytes.read { fingerprint(of: $0, upTo: $0.byteCount) }
        bytes.append(u16: STUNAttributeType.fingerprint.rawValue)
        bytes.append(u16: 4)
        bytes.append(u32: value)
    }

    static func setLength(of bytes: inout [UInt8], adding more: Int) {
        bytes.set(u16: UInt16(clamping: bytes.count + more - STUNHeader.byteCount), at: 2)
    }
}
