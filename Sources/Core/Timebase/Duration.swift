/// Arithmetic on durations is done for each packet to each viewer. The standard library does it in 128 bits and for any
/// integer type; almost all durations are of less than nine seconds, and their attoseconds fit into 64 bits, which takes a
/// tenth of the time. The results are the same to the last attosecond.
extension Duration {
    /// Whole nanoseconds, saturated to ±292 years.
    package var nanoseconds: Int64 {
        if let short = shortAttoseconds { return short / 1_000_000_000 }
        // `components` traps where the seconds don't fit into 64 bits.
        return Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// Seconds as a floating-point number, for figures and estimates.
    package var inSeconds: Double { Double(nanoseconds) / 1e9 }

    /// Milliseconds as a floating-point number, for figures.
    package var inMilliseconds: Double { Double(nanoseconds) / 1e6 }

    package var magnitude: Duration { self < .zero ? .zero - self : self }

    package static func / (duration: Duration, divisor: Int) -> Duration {
        guard divisor > 0, let short = duration.shortAttoseconds else {
            return Duration(attoseconds: duration.attoseconds / Int128(divisor))
        }
        return Duration(attoseconds: Int128(truncatingIfNeeded: short / Int64(divisor)))
    }

    package static func * (duration: Duration, factor: Int) -> Duration {
        Duration(attoseconds: duration.attoseconds * Int128(truncatingIfNeeded: factor))
    }

    /// Nil where 64 bits do not hold them.
    private var shortAttoseconds: Int64? {
        let attoseconds = attoseconds
        let short = Int64(truncatingIfNeeded: attoseconds)
        return Int128(truncatingIfNeeded: short) == attoseconds ? short : nil
    }
}
