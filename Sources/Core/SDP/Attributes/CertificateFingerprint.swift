/// `a=fingerprint` (RFC 8122 § 5).
struct CertificateFingerprint: Hashable, Sendable {
    /// The hash function's name in lower case: `sha-256`.
    var algorithm: String
    var digest: [UInt8]

    init(algorithm: String = "sha-256", digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }

    /// `<hash> XX:XX:…`, each byte as two hexadecimal digits; nil for anything else.
    init?(parsing text: String) {
        guard let (name, digits) = text.trimmed.halves(at: UInt8(ascii: " ")) else { return nil }
        guard let digest = Self.bytes(Array(digits.trimmed.utf8)) else { return nil }
        algorithm = String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
        self.digest = digest
    }

    private static func bytes(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 3 == 2 else { return nil }
        var digest: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 3) {
            guard let high = text[start].hexDigit, let low = text[start + 1].hexDigit else { return nil }
            if start + 2 < text.count, text[start + 2] != UInt8(ascii: ":") { return nil }
            digest.append(high << 4 | low)
        }
        return digest
    }

    var text: String {
        algorithm + " " + digest.map { $0.hex(uppercase: true) }.joined(separator: ":")
    }
}
