/// One `<letter>=<value>` line (RFC 8866 § 5).
package struct Line: Hashable, Sendable {
    var type: Character
    var value: String

    init(_ type: Character, _ value: String) {
        self.type = type
        self.value = value
    }
}

/// The lines of a text, each looked at once. Lines end with CRLF or LF; empty ones are forgiven at the end only.
struct LineReader {
    private let bytes: [UInt8]
    private var offset = 0
    /// The number of the line read last.
    private(set) var number = 0

    init(_ text: String) throws(SDPError) {
        guard text.utf8.count <= Limits.bytes else { throw SDPError(line: 0, .tooLarge) }
        bytes = Array(text.utf8)
    }

    /// Nil at the end.
    mutating func next() throws(SDPError) -> Line? {
        guard offset < bytes.count else { return nil }
        number += 1
        if number > Limits.lines { throw SDPError(line: number, .tooManyLines) }
        let content = takeLine()
        if content.isEmpty {
            guard isOnlyLineEnds else { throw SDPError(line: number, .malformedLine) }
            offset = bytes.count
            return nil
        }
        return try line(content)
    }

    private mutating func takeLine() -> ArraySlice<UInt8> {
        let rest = bytes[offset...]
        let end = rest.firstIndex(of: Self.lineFeed) ?? bytes.count
        offset = min(end + 1, bytes.count)
        let content = rest[..<end]
        return content.last == Self.carriageReturn ? content.dropLast() : content
    }

    private var isOnlyLineEnds: Bool {
        bytes[offset...].allSatisfy { $0 == Self.lineFeed || $0 == Self.carriageReturn }
    }

    private func line(_ content: ArraySlice<UInt8>) throws(SDPError) -> Line {
        if content.count > Limits.lineBytes { throw SDPError(line: number, .lineTooLong) }
        guard let letter = content.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter),
            content.dropFirst().first == UInt8(ascii: "="),
            !content.contains(0), !content.contains(Self.carriageReturn)
        else { throw SDPError(line: number, .malformedLine) }
        return Line(Character(UnicodeScalar(letter)), String(decoding: content.dropFirst(2), as: UTF8.self))
    }

    private static let lineFeed: UInt8 = 10
    private static let carriageReturn: UInt8 = 13
}
