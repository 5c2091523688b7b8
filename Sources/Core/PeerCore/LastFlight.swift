import Timebase

/// The handshake's last flight where it is ours, as the passive side's is: nobody acknowledges it, and who misses it asks for it by
/// repeating the one before (RFC 6347 § 4.2.4), browsers after two round trips, then after twice that each time, while media that
/// they can't decrypt comes. It is small, so it is sent again unasked, byte by byte the same, which who has it drops as a replay,
/// until something comes that only who has it can have encrypted.
struct LastFlight {
    let datagrams: [[UInt8]]
    private var pauses = Limits.lastFlightPauses[...]

    init(_ datagrams: [[UInt8]]) {
        self.datagrams = datagrams
    }

    /// How long to wait before it is sent again; nil where it has been often enough.
    mutating func nextPause() -> Duration? { pauses.popFirst() }
}
