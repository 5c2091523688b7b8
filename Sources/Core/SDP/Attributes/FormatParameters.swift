/// `a=fmtp`: a format's parameters, `key=value` between semicolons, in order (RFC 6184 § 8.2.1, RFC 7587 § 7).
package struct FormatParameters: Hashable, Sendable {
    private(set) var pairs: [(key: String, value: String)]

    init(_ pairs: [(key: String, value: String)] = []) {
        self.pairs = pairs
    }

    /// Never fails: what has no `=` is a key with an empty value. The first of equal keys counts.
    init(parsing text: String) {
        pairs = text.split(at: UInt8(ascii: ";")).map { part in
            guard let (key, value) = part.halves(at: UInt8(ascii: "=")) else { return (part.trimmed, "") }
            return (key.trimmed, value.trimmed)
        }
    }

    /// Parameter names are case-insensitive (RFC 4855 § 3).
    subscript(key: String) -> String? {
        pairs.first { $0.key.isEqual(ignoringCase: key) }?.value
    }

    var text: String {
        pairs.map { $0.value.isEmpty ? $0.key : "\($0.key)=\($0.value)" }.joined(separator: ";")
    }

    package static func == (left: FormatParameters, right: FormatParameters) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for pair in pairs {
            hasher.combine(pair.key)
            hasher.combine(pair.value)
        }
    }
}
