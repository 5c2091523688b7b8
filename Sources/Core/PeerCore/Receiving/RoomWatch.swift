import RTP
import Timebase

/// Whether a path takes far more than what comes over it: a picture's packets then come all at once; on a narrow link
/// they come one by one.
struct RoomWatch {
    private var last: (ssrc: UInt32, timestamp: UInt32, at: Instant)?
    private var windowBegan = Instant.zero
    /// How long pictures took to come in this window.
    private var busy = Duration.zero
    private var crowdedAt: Instant?
    /// Of two packets of one picture the second tells something.
    private var knownAt: Instant?

    mutating func receive(_ header: RTPHeader, bytes: Int, at now: Instant) {
        guard bytes >= Limits.bytesOfPictures else { return }
        if now - windowBegan > Limits.roomWindow { (windowBegan, busy) = (now, .zero) }
        if let last, last.ssrc == header.ssrc, last.timestamp == header.timestamp {
            busy += min(now - last.at, Limits.roomWindow)
            knownAt = now
        }
        // At first nothing is known.
        if last == nil || busy > Limits.busyTime { crowdedAt = now }
        last = (header.ssrc, header.timestamp, now)
    }

    func hasRoom(at now: Instant) -> Bool {
        guard let crowdedAt, let knownAt else { return false }
        return now - crowdedAt > Limits.roomMemory && now - knownAt < Limits.roomMemory
    }
}
