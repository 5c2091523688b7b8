import RTP
import Timebase

/// Some viewers (aiortc) show nothing behind a packet they miss, and take a second copy of what is long past for a new
/// stream. Where nobody knows whether such a packet has come, neither to send it again nor to leave it out is right.
/// They begin anew where numbers leap by more than they wait for: with a keyframe, nothing of before is missed any more.
extension MediaSender {
    /// Numbers that were left out: nothing was sent under them, but reports tell of them as lost.
    struct Leap {
        /// The first number behind the latest.
        var next: Int64
        /// Those behind leaps that no report has come to yet.
        var unreported: [Int64]
    }

    /// Where repair has turned out to be hopeless, nothing of before is sent any more; the next keyframe comes behind a
    /// leap.
    mutating func beginAnewIfHopeless() {
        guard repairs.isHopeless else { return }
        dropUnsent()
        stage = .stranded
        isLeaping = true
    }

    /// Nothing has passed for a while, and hardly anything was sent: too little to be no longer waited for.
    mutating func beginAnew() {
        dropUnsent()
        if repairs.owesRepairs, lastSent != nil { isLeaping = true }
    }

    /// A picture begins.
    mutating func leapIfDue() {
        guard isLeaping else { return }
        isLeaping = false
        let next = sequenceNumber + Limits.leap
        leap = Leap(next: next, unreported: (leap?.unreported ?? []).suffix(Limits.unreportedLeaps - 1) + [next])
        sequenceNumber = next
    }

    /// Of these, as a request names them, what the viewer has a use for. What it asked for before it saw the leap would
    /// take it back to before.
    func sinceLeap(_ missing: [UInt16]) -> [UInt16] {
        guard let leap else { return missing }
        return missing.filter { unwrapped($0) >= leap.next }
    }

    /// Of the newest number with these 16 bits.
    private func unwrapped(_ number: UInt16) -> Int64 { (sequenceNumber - 1).last(endingIn: number) }

    /// What a report says of packets that were sent, where it tells of those left out as well.
    ///
    /// - Parameters:
    ///   - loss: 0…1, of all numbers that it tells of.
    ///   - numbers: how many these are.
    mutating func withoutLeaps(loss: Double, of numbers: Int, upTo highest: UInt32) -> (loss: Double, packets: Int) {
        guard let unreported = leap?.unreported, !unreported.isEmpty else { return (loss, numbers) }
        let reached = unwrapped(UInt16(truncatingIfNeeded: highest))
        leap?.unreported.removeAll { $0 <= reached }
        let skipped = unreported.count { $0 <= reached } * Int(Limits.leap)
        let packets = max(0, numbers - skipped)
        guard skipped > 0, packets > 0 else { return (skipped > 0 ? 0 : loss, packets) }
        return (max(0, loss * Double(numbers) - Double(skipped)) / Double(packets), packets)
    }
}
