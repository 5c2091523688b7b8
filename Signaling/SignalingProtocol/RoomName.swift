/// The name of a room: 1 to 64 of RFC 3986's unreserved characters, so that it stands in a path as it is.
///
/// `.` and `..` are no names: every URL parser removes them as dot segments (RFC 3986 § 5.2.4).
public struct RoomName: Hashable, Sendable, LosslessStringConvertible {
    /// As it stands in addresses and messages; upper and lower case are different names.
    public let description: String

    /// Nil unless the text is 1 to 64 unreserved characters (RFC 3986 § 2.3), and neither `.` nor `..`.
    public init?(_ text: String) {
        let length = text.utf8.count
        guard length > 0, length <= Limits.roomName, text != ".", text != "..",
            text.utf8.allSatisfy(\.isUnreserved)
        else { return nil }
        description = text
    }
}

extension RoomName: Codable {
    public init(from decoder: any Decoder) throws {
        self = try .init(decodingText: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try encodeText(to: encoder)
    }
}

extension UInt8 {
    /// RFC 3986 § 2.3: letters, digits, `-`, `.`, `_`, `~`.
    var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}

extension RoomName: CheckedText {
    var wireText: String { description }
}
