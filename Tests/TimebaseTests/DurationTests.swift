import Testing
import Timebase

@Suite("Durations are divided and multiplied as the standard library does")
struct DurationTests {
    /// Around what 64 bits of attoseconds hold, 9.2 s, and far beyond.
    private static let durations: [Duration] = [
        .zero, .nanoseconds(1), Duration(attoseconds: 999_999_999), Duration(attoseconds: 1_999_999_999), .milliseconds(33),
        .seconds(1), Duration(attoseconds: Int128(Int64.max)), Duration(attoseconds: Int128(Int64.max) + 1), .seconds(10),
        .seconds(86_400), .seconds(1 << 40),
    ]
    private static let signed = durations + durations.map { .zero - $0 } + [Duration(attoseconds: Int128(Int64.min))]

    @Test("A quotient is the same to the last attosecond", arguments: signed)
    func quotient(_ duration: Duration) {
        for divisor in [1, 2, 3, 7, 16, 48_000, Int.max, -1, -3, Int.min] {
            // As another type, the standard library's own.
            #expect(duration / divisor == duration / Int128(divisor))
        }
    }

    @Test("So is a product", arguments: signed)
    func product(_ duration: Duration) {
        for factor in [0, 1, 2, 3, 1_000_000, -1, -7] { #expect(duration * factor == duration * Int128(factor)) }
    }

    @Test("Nanoseconds are whole, and cut towards zero", arguments: signed)
    func nanoseconds(_ duration: Duration) {
        let exact = duration.attoseconds / 1_000_000_000
        #expect(Int128(duration.nanoseconds) == min(max(exact, Int128(Int64.min)), Int128(Int64.max)))
    }
}
