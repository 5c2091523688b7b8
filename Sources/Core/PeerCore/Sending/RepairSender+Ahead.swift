import Congestion
import RTP
import Timebase

/// What is sent once more before anybody misses it.
extension RepairSender {
    /// Far away a picture that waits for what is sent again is a freeze. Who takes no repair packets (browsers) gets each
    /// packet twice there, as far as the path has room beside pictures: text scrolled takes a fraction of most paths.
    mutating func sendAhead(_ repair: Repair, bytes: Int, _ path: PathControl, at now: Instant) {
        guard parameters.flexFEC == nil, parameters.retransmission != nil, path.lossesFreeze else {
            return spare = SpareBudget()
        }
        spare.sent(bytes, of: path.target, at: now)
        // Beyond the burst that may take the first of them.
        if spare.spend(bytes) { add(Copy(repair: repair, due: now + Limits.distanceOfCopies)) }
    }
}
