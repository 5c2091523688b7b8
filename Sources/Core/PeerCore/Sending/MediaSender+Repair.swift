import RTP
import Timebase

/// What is sent for packets that get lost: these once more (`RepairSender`), or others made of several (`FlexFECSender`).
extension MediaSender {
    /// The viewer asks for what it misses.
    ///
    /// - Parameter checkRoundTrip: that of connectivity checks, until reports tell theirs.
    mutating func repair(_ missing: [UInt16], _ path: PathControl, checkRoundTrip: Duration?, at now: Instant) {
        statistics.packetsReportedMissing += missing.count
        if isLeaping || missing.isEmpty { return }
        repairs.answer(missing, path, checkRoundTrip: checkRoundTrip, pace: pacingRate, at: now)
    }

    /// Feedback says what is lost.
    mutating func repair(lost: [Int64], _ path: PathControl, checkRoundTrip: Duration?, at now: Instant) {
        repairs.answer(lost: lost, path, checkRoundTrip: checkRoundTrip, pace: pacingRate, at: now)
    }

    mutating func oweUnasked(_ report: ReportBlock, _ path: PathControl, at now: Instant) {
        repairs.oweUnasked(report, path, isLeaping: isLeaping, at: now)
    }

    mutating func nextRepair(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        guard let packet = repairs.nextPacket(of: stream, playoutDelay, &path, at: now) else { return nil }
        if !packet.isProbe {
            statistics.retransmissions += 1
            statistics.bytesRepaired += packet.bytes.count
        }
        return packet.bytes
    }

    mutating func nextFlexFEC(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        guard let last = stream.last, flexFEC?.isWaiting == true else { return nil }
        let extensions = stream.sideExtensions(&path, at: now)
        let bytes = flexFEC?.nextPacket(timestamp: stream.timestamp(last.ticks), extensions, parameters.extensions)
        statistics.bytesRepaired += bytes?.count ?? 0
        return bytes
    }
}
