import Congestion
import RTP
import Timebase

/// What is sent once more before anybody misses it.
extension RepairSender {
    /// Far away a picture that waits for what is sent again is a freeze. Who takes no repair packets (browsers) gets each
    /// packet twice there, as far as the path has room beside pictures and sound: text scrolled takes a fraction of most paths.
    mutating func sendAhead(
        _ unit: PacketizedUnit, _ index: Int, as number: Int64, bytes: Int, _ path: PathControl, at now: Instant
    ) {
        guard parameters.flexFEC == nil, parameters.retransmission != nil, path.lossesFreeze else {
            return spare = SpareBudget()
        }
        spare.sent(bytes, of: path.rateBesideSound, at: now)
        guard spare.spend(bytes) else { return }
        let packet = RetransmissionHistory.Packet(unit: unit, payloadIndex: index)
        let repair = Repair(packet: packet, number: UInt16(truncatingIfNeeded: number))
        // Beyond the burst that may take the first of them.
        add(Copy(repair: repair, due: now + Limits.distanceOfCopies))
    }
}
