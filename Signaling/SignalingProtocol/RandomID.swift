/// An unguessable identifier: 128 random bits as 32 hexadecimal digits.
///
/// It names shares and WHEP sessions: whoever knows a session's address may change it (draft-ietf-wish-whep, security
/// considerations), so it never goes into a log whole.
package struct RandomID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(using generator: inout some RandomNumberGenerator) {
        high = generator.next()
        low = generator.next()
    }

    /// The identifier as it stands in an address.
    package var text: String { Self.hex(high) + Self.hex(low) }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension RandomID: LosslessStringConvertible {
    /// The first digits, enough to follow one session through a log and too few to reach it.
    package var description: String { "\(text.prefix(6))…" }

    package init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(\.isLowercaseHexDigit),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.high = high
        self.low = low
    }
}

extension RandomID: CheckedText {
    var wireText: String { text }

    package init(from decoder: any Decoder) throws {
        self = try .init(decodingText: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try encodeText(to: encoder)
    }
}

extension UInt8 {
    var isLowercaseHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
