extension SessionDescription {
    /// Reads a description in one pass.
    ///
    /// The order within a section is not insisted on, and `t=` may be missing: WebRTC has no use for either. Wrong
    /// beginnings, unknown letters and malformed `o=` and `m=` lines are errors; attributes are not looked into here.
    package init(_ text: String) throws(SDPError) {
        var reader = try LineReader(text)
        guard let version = try reader.next(), version == Line("v", "0") else {
            throw SDPError(line: 1, .unsupportedVersion)
        }
        guard let origin = try reader.next(), origin.type == "o" else { throw SDPError(line: 2, .missingOrigin) }
        guard let parsed = Origin(parsing: origin.value) else { throw SDPError(line: 2, .malformedOrigin) }
        guard let name = try reader.next(), name.type == "s" else { throw SDPError(line: 3, .missingName) }
        self.init(origin: parsed, name: name.value, lines: [])
        while let line = try reader.next() { try take(line, number: reader.number) }
    }

    private mutating func take(_ line: Line, number: Int) throws(SDPError) {
        switch line.type {
        case "m":
            guard media.count < Limits.mediaDescriptions else {
                throw SDPError(line: number, .tooManyMediaDescriptions)
            }
            guard let section = MediaDescription(parsing: line.value) else {
                throw SDPError(line: number, .malformedMedia)
            }
            media.append(section)
        case "a":
            append(Attribute(parsing: line.value))
        case "i", "c", "b", "k":
            append(line)
        case "u", "e", "p", "t", "r", "z":
            guard media.isEmpty else { throw SDPError(line: number, .misplacedLine) }
            lines.append(line)
        case "v", "o", "s":
            throw SDPError(line: number, .misplacedLine)
        default:
            throw SDPError(line: number, .unknownLine)
        }
    }

    private mutating func append(_ attribute: Attribute) {
        if media.isEmpty { attributes.append(attribute) } else { media[media.count - 1].attributes.append(attribute) }
    }

    private mutating func append(_ line: Line) {
        if media.isEmpty { lines.append(line) } else { media[media.count - 1].lines.append(line) }
    }
}
