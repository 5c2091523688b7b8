/// Bytes from text such as `00 01 2a`; whatever is not a hexadecimal digit is skipped.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension [UInt8] {
    var hexText: String { map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() }
}
