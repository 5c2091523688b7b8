/// What a sharer calls its room for people to read: 1 to 80 characters on one line.
package struct DisplayName: Hashable, Sendable, LosslessStringConvertible {
    package let description: String

    package init?(_ text: String) {
        // Bounded in bytes first: one character can hold any number of combining marks.
        guard !text.isEmpty, text.utf8.count <= 4 * Limits.displayName, text.count <= Limits.displayName,
            text.unicodeScalars.allSatisfy({ !$0.isControl })
        else { return nil }
        description = text
    }
}

extension Unicode.Scalar {
    /// Controls, and the marks that turn the direction of the text around them.
    var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}

extension DisplayName: CheckedText {
    var wireText: String { description }

    package init(from decoder: any Decoder) throws {
        self = try .init(decodingText: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try encodeText(to: encoder)
    }
}
