/// A strong entity-tag (RFC 9110 § 8.8.3) that names one ICE session of a WHEP session.
package struct EntityTag: Hashable, Sendable, LosslessStringConvertible {
    /// The tag without its quotes.
    package let description: String

    package init(using generator: inout some RandomNumberGenerator) {
        description = String(generator.next(), radix: 16)
    }

    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy(\.isUnreserved) else { return nil }
        description = text
    }

    /// The tag as it stands in `ETag` and `If-Match`.
    package var quoted: String { "\"\(description)\"" }
}

extension EntityTag: CheckedText {
    var wireText: String { description }

    package init(from decoder: any Decoder) throws {
        self = try .init(decodingText: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try encodeText(to: encoder)
    }
}

/// An `If-Match` field (RFC 9110 § 13.1.1).
package enum MatchCondition: Equatable, Sendable {
    /// `*`: whatever ICE session there is. The WHEP draft's examples write it in quotes, so that is taken too.
    case any
    /// Any of these; weak tags never match.
    case tags([String])

    package init?(_ field: String?) {
        guard let field else { return nil }
        let items = field.split(separator: ",").map { $0.trimmingSpaces }
        if items.contains("*") || items.contains("\"*\"") {
            self = .any
        } else {
            self = .tags(items.map(String.init))
        }
    }

    package func matches(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains(tag.quoted)
        }
    }
}

extension Substring {
    /// Without the optional white space around a list element (RFC 9110 § 5.6.3).
    package var trimmingSpaces: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
