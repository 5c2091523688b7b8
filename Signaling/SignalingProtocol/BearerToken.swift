/// A secret carried in `Authorization: Bearer …` (RFC 6750 § 2.1): it opens a room to viewers, or a share to its
/// sharer.
///
/// It prints as dots, so that it cannot slip into a log, and compares in constant time.
public struct BearerToken: Sendable, LosslessStringConvertible {
    /// The token itself, for the header and for the link that is given to viewers.
    public let secret: String

    /// Somebody's own token, as our server takes it.
    ///
    /// - Returns: nil unless the text is a `b64token` (RFC 6750 § 2.1) of 1 to 256 characters.
    public init?(_ text: String) {
        let bytes = text.utf8
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let body = bytes.dropLast(padding)
        guard !body.isEmpty, bytes.count <= Limits.token,
            body.allSatisfy({ $0.isUnreserved || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") })
        else { return nil }
        secret = text
    }

    /// Another server's token, which may be of any kind: 1 to 8192 visible characters.
    package init?(foreign text: String) {
        guard (1...Limits.foreignToken).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        secret = text
    }

    /// A new token of 128 random bits.
    public init(using generator: inout some RandomNumberGenerator) {
        secret = RandomID(using: &generator).text
    }

    /// The token of an `Authorization` field; the scheme's case does not matter (RFC 9110 § 11.1).
    package init?(authorization field: String) {
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        self.init(String(parts[1].drop { $0 == " " }))
    }

    /// The value of an `Authorization` field.
    package var authorization: String { "Bearer \(secret)" }

    public var description: String { "•••" }
}

extension BearerToken: Equatable {
    /// Looks at every byte of both, so that the time tells nothing about where they differ.
    public static func == (left: BearerToken, right: BearerToken) -> Bool {
        let (left, right) = (Array(left.secret.utf8), Array(right.secret.utf8))
        var difference = left.count ^ right.count
        for index in 0..<max(left.count, right.count) {
            let a = index < left.count ? left[index] : 0
            let b = index < right.count ? right[index] : 0
            difference |= Int(a ^ b)
        }
        return difference == 0
    }
}

extension BearerToken: CheckedText {
    var wireText: String { secret }

    public init(from decoder: any Decoder) throws {
        self = try .init(decodingText: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try encodeText(to: encoder)
    }
}
