/// Small things about ASCII text, on UTF-8 views: SDP's grammar knows bytes only.
extension StringProtocol {
    /// The parts between single spaces; runs of spaces count as one.
    func fields(maxSplits: Int = .max) -> [String] {
        split(at: UInt8(ascii: " "), maxSplits: maxSplits)
    }

    /// The parts between `separator`, without empty ones.
    func split(at separator: UInt8, maxSplits: Int = .max) -> [String] {
        utf8.split(separator: separator, maxSplits: maxSplits).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What stands before and after the first `separator`; nil where there is none.
    func halves(at separator: UInt8) -> (before: String, after: String)? {
        guard let index = utf8.firstIndex(of: separator) else { return nil }
        return (
            String(decoding: utf8[..<index], as: UTF8.self),
            String(decoding: utf8[utf8.index(after: index)...], as: UTF8.self)
        )
    }

    /// Without spaces at both ends.
    var trimmed: String {
        let space = UInt8(ascii: " ")
        let bytes = Array(utf8)
        guard let first = bytes.firstIndex(where: { $0 != space }), let last = bytes.lastIndex(where: { $0 != space })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// A decimal number of digits only: no sign, no spaces. Nil where it does not fit.
    func decimal<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        var value: Value = 0
        var hasDigit = false
        for byte in utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(Value(byte - UInt8(ascii: "0")))
            if tooLarge || carried { return nil }
            value = sum
            hasDigit = true
        }
        return hasDigit ? value : nil
    }

    /// What a text in Base64 stands for, padded or not (RFC 4648 § 4); nil where it is none.
    var base64Decoded: [UInt8]? {
        let padding = utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in utf8.dropLast(padding) {
            guard let digit = byte.base64Digit else { return nil }
            (bits, count) = (bits << 6 | UInt32(digit), count + 6)
            if count < 8 { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }

    /// Equal but for the case of ASCII letters.
    func isEqual(ignoringCase other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// 0 to 15; nil for anything but a hexadecimal digit.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// 0 to 63; nil for anything but a digit of Base64.
    fileprivate var base64Digit: UInt8? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Two hexadecimal digits.
    func hex(uppercase: Bool) -> String {
        let digits = String(self, radix: 16, uppercase: uppercase)
        return self < 16 ? "0" + digits : digits
    }
}
