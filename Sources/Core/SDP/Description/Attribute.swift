/// An `a=` line: a property (`a=recvonly`) or a value (`a=mid:0`), RFC 8866 § 5.13.
package struct Attribute: Hashable, Sendable {
    var name: String
    /// Nil for a property. What follows the first colon, unchanged.
    var value: String?

    init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }

    init(parsing text: String) {
        if let (name, value) = text.halves(at: UInt8(ascii: ":")) {
            self.init(name, value)
        } else {
            self.init(text.trimmed)
        }
    }

    var line: Line { Line("a", value.map { "\(name):\($0)" } ?? name) }
}

extension [Attribute] {
    /// The first attribute's value, without spaces around it; an empty string for a property.
    package func value(of name: String) -> String? {
        first { $0.name == name }.map { $0.value?.trimmed ?? "" }
    }

    /// All attributes' values, in order.
    package func values(of name: String) -> [String] {
        compactMap { $0.name == name ? $0.value : nil }
    }

    package func has(_ name: String) -> Bool { contains { $0.name == name } }

    mutating func add(_ name: String, _ value: String? = nil) { append(Attribute(name, value)) }
}
