/// A look at JSON before it is parsed: how deep it is nested, so that a parser that recurses is never given too much,
/// and commas in front of a closing bracket, which the parser at hand would let pass (RFC 8259 § 4 and § 5 don't).
package enum JSONOutline {
    package enum Fault: Equatable, Sendable {
        case nestedTooDeeply
        case danglingComma
    }

    /// The first fault. Linear, and right for all valid JSON.
    package static func fault(in bytes: some Sequence<UInt8>, limit: Int = Limits.jsonDepth) -> Fault? {
        var depth = 0
        var inString = false
        var isEscaped = false
        var last: UInt8 = 0
        // Of an array: one of any sequence is asked for each byte by way of a table.
        for byte in Array(bytes) {
            if inString {
                inString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if last == UInt8(ascii: ",") { return .danglingComma }
            default: break
            }
            last = byte
            if depth > limit { return .nestedTooDeeply }
        }
        return nil
    }
}
