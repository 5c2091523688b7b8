/// How deep JSON is nested, found without parsing it, so that a parser that recurses is never given too much.
package enum JSONNesting {
    /// Whether brackets outside strings open more than `limit` levels at once. Linear, and right for all valid JSON.
    package static func exceeds(_ limit: Int, in bytes: some Sequence<UInt8>) -> Bool {
        var depth = 0
        var inString = false
        var escaped = false
        for byte in bytes {
            if inString {
                inString = escaped || byte != UInt8(ascii: "\"")
                escaped = !escaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth > limit { return true }
        }
        return false
    }
}
