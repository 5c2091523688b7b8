/// Wall-clock time as RFC 3550 § 4 carries it: seconds since 1900 as unsigned 32.32 fixed point.
package struct NTPTimestamp: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64) {
        self.bits = bits
    }

    /// Seconds from 1900-01-01 to 1970-01-01 (RFC 868).
    private static let unixEpoch: UInt64 = 2_208_988_800

    package init(unixNanoseconds: Int64) {
        let nanoseconds = UInt64(max(0, unixNanoseconds))
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        bits = ((seconds &+ Self.unixEpoch) << 32) | ((rest << 32) / 1_000_000_000)
    }

    /// The middle 32 bits, as LSR and DLSR use them (RFC 3550 § 6.4.1).
    package var middle: UInt32 { UInt32(truncatingIfNeeded: bits >> 16) }

    package func advanced(by duration: Duration) -> NTPTimestamp {
        let nanoseconds = duration.nanoseconds
        let magnitude = nanoseconds.magnitude
        let (seconds, rest) = magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let delta = (seconds << 32) &+ ((rest << 32) / 1_000_000_000)
        return NTPTimestamp(bits: nanoseconds < 0 ? bits &- delta : bits &+ delta)
    }
}

/// Ties the wall clock to the monotonic clock at one moment, so that Core can date reports without reading a clock.
package struct WallClockAnchor: Sendable {
    package var instant: Instant
    package var ntp: NTPTimestamp

    package init(instant: Instant, ntp: NTPTimestamp) {
        self.instant = instant
        self.ntp = ntp
    }

    package func ntp(at instant: Instant) -> NTPTimestamp {
        ntp.advanced(by: instant - self.instant)
    }
}
