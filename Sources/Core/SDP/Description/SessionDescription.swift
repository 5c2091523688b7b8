/// A session description (RFC 8866): what it says, in the order it says it.
package struct SessionDescription: Hashable, Sendable {
    package var origin: Origin
    /// `s=`; a dash or nothing where there is none.
    package var name: String
    /// The session's other lines (`i u e p c b t r z k`), in order.
    package var lines: [Line]
    package var attributes: [Attribute] = []
    package var media: [MediaDescription] = []

    package init(origin: Origin, name: String = "-", lines: [Line] = [Line("t", "0 0")]) {
        self.origin = origin
        self.name = name
        self.lines = lines
    }
}

extension SessionDescription: CustomStringConvertible {
    /// The text, with CRLF after each line. Parsing it again gives an equal value.
    package var description: String {
        var text = ""
        func write(_ line: Line) { text += "\(line.type)=\(line.value)\r\n" }
        write(Line("v", "0"))
        write(origin.line)
        write(Line("s", name))
        lines.forEach(write)
        attributes.forEach { write($0.line) }
        for section in media {
            write(section.line)
            section.lines.forEach(write)
            section.attributes.forEach { write($0.line) }
        }
        return text
    }
}

extension SessionDescription {
    /// The identification tags of the first group of a kind, by its semantics token: `BUNDLE` (RFC 9143), `LS`
    /// (lip synchronisation, RFC 5888 § 7).
    package func group(_ semantics: String) -> [String]? {
        groups(semantics).first
    }

    func groups(_ semantics: String) -> [[String]] {
        attributes.values(of: "group").compactMap { value in
            let fields = value.fields()
            return fields.first == semantics ? Array(fields.dropFirst()) : nil
        }
    }
}
