import NIOHTTP1
import SignalingProtocol

/// One link of a `Link` field (RFC 8288 § 3).
struct LinkField {
    let target: String
    private let parameters: [String: String]

    var relation: String? { parameters["rel"] }
    subscript(parameter: String) -> String? { parameters[parameter] }

    static func all(in headers: HTTPHeaders) -> [LinkField] {
        headers["Link"].flatMap { split($0, at: ",") }.compactMap(LinkField.init)
    }

    /// `<target>; rel="…"; name="…"`.
    init?(_ link: Substring) {
        let parts = Self.split(String(link), at: ";")
        guard let target = parts.first, target.first == "<", target.last == ">" else { return nil }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { parameters[pair[0].lowercased()] = Self.unquoted(pair[1]) }
        }
        self.target = String(target.dropFirst().dropLast())
        self.parameters = parameters
    }

    /// Cuts at a separator outside `<…>` and `"…"`, with the white space around it (RFC 8288 § 3, RFC 9110 § 5.6.4).
    private static func split(_ text: String, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var (isQuoted, isEscaped, isBracketed) = (false, false, false)
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                isEscaped = character == "\\"
                isQuoted = character != "\""
            } else if character == separator && !isBracketed {
                parts.append(text[start..<index])
                start = text.index(after: index)
            } else {
                isQuoted = character == "\""
                isBracketed = character == "<" || isBracketed && character != ">"
            }
        }
        return (parts + [text[start...]]).map(\.trimmingSpaces)
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        var isEscaped = false
        return String(
            value.dropFirst().dropLast().filter { character in
                isEscaped = !isEscaped && character == "\\"
                return !isEscaped
            })
    }
}
