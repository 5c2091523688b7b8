/// Figures in words.
enum Words {
    static func milliseconds(_ time: Duration) -> String {
        let number = time / .milliseconds(1)
        return number < 10 ? "\(decimal(number)) ms" : "\(Int(number.rounded())) ms"
    }

    static func rate(_ bitsPerSecond: Double) -> String {
        switch bitsPerSecond {
        case ..<1e6: "\(Int((bitsPerSecond / 1e3).rounded())) kbit/s"
        case ..<1e7: "\(decimal(bitsPerSecond / 1e6)) Mbit/s"
        case ..<1e9: "\(Int((bitsPerSecond / 1e6).rounded())) Mbit/s"
        default: "1 Gbit/s"
        }
    }

    static func bytes(_ count: Int) -> String {
        count >= 1_000_000 ? "\(decimal(Double(count) / 1e6)) MB" : "\(count / 1000) kB"
    }

    /// With one digit after the point.
    private static func decimal(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
