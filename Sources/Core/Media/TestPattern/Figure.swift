/// A digit or sign of the test pattern's clock, five by seven dots.
package struct Figure: Hashable, Sendable {
    package static let width = 5
    package static let height = 7
    /// From one figure's left edge to the next one's.
    package static let advance = 6

    /// From top to bottom, five bits each, the leftmost highest.
    package let rows: [UInt8]

    package static let colon = Figure(rows: [0, 0b00100, 0b00100, 0, 0b00100, 0b00100, 0])
    package static let point = Figure(rows: [0, 0, 0, 0, 0, 0b01100, 0b01100])
    package static let space = Figure(rows: [0, 0, 0, 0, 0, 0, 0])

    private static let digits: [Figure] = [
        [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    ].map(Figure.init(rows:))

    /// The last `count` decimal digits of a number, with leading zeros.
    package static func digits(of value: Int64, count: Int) -> [Figure] {
        var rest = value.magnitude
        var figures: [Figure] = []
        for _ in 0..<max(0, count) {
            figures.append(digits[Int(rest % 10)])
            rest /= 10
        }
        return figures.reversed()
    }
}
