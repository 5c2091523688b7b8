import RTP
import Timebase

/// Notices that another stream came in place of one: a server keeps its viewers while its publisher comes back, and hands
/// on what that one sends as it is. For a second nothing came but packets with another name, or packets far behind with
/// numbers that rise (RFC 3550 § A.1). What is far ahead is a loss like any other.
///
/// Numbers that went back under the same name are those of old packets to SRTP (RFC 3711 § 3.3.2), which opens none of
/// them, and after a loss of too many it has the wrong keys for all that follows (§ 3.3.1). Such packets could as well be
/// replayed or forged: nothing of them is taken, and where for two seconds nothing else came all is begun anew, with other
/// keys.
struct StreamChange {
    /// Packets with one name, and numbers that rise.
    private struct Run {
        let ssrc: UInt32
        var number: UInt16
        let since: Instant
        var packets = 1

        /// - Returns: the run with one more packet, or another that begins with it.
        static func extending(_ run: Run?, by header: RTPHeader, at now: Instant) -> Run {
            let step = run.map { Int16(bitPattern: header.sequenceNumber &- $0.number) } ?? 0
            guard var longer = run, longer.ssrc == header.ssrc, (1...Limits.largestNumberStep).contains(step) else {
                return Run(ssrc: header.ssrc, number: header.sequenceNumber, since: now)
            }
            longer.number = header.sequenceNumber
            longer.packets += 1
            return longer
        }

        /// Three packets at least.
        func lasts(_ time: Duration, at now: Instant) -> Bool { packets >= 3 && now - since >= time }
    }

    private var other: Run?
    /// With the stream's own name, and not to be opened.
    private var refused: Run?
    private(set) var hasHappened = false

    /// The other stream that more has come of in a row than ever of the first one: that was hardly any (RFC 3550 § A.1 takes
    /// nothing of a source on probation).
    ///
    /// - Parameter stream: the first one.
    func takesPlace(of stream: ReceptionStatistics) -> UInt32? {
        guard let other, other.ssrc != stream.ssrc, Int64(other.packets) > stream.packetsReceived else { return nil }
        return other.ssrc
    }

    /// - Parameter stream: what is received, as far as it is known.
    mutating func note(_ packet: RTPPacket, of stream: ReceptionStatistics, at now: Instant) {
        let header = packet.header
        if header.ssrc == stream.ssrc { refused = nil }
        // What measures a path may have any name.
        if packet.payload.isEmpty { return }
        let isOther = header.ssrc != stream.ssrc || stream.lateness(header.sequenceNumber) > Limits.latestPacket
        guard isOther else { return other = nil }
        let run = Run.extending(other, by: header, at: now)
        other = run
        if run.lasts(Limits.timeOfAnother, at: now) { hasHappened = true }
    }

    /// A packet that SRTP did not open, by what its header says.
    mutating func refuse(_ header: RTPHeader, of stream: ReceptionStatistics, at now: Instant) {
        guard header.ssrc == stream.ssrc else { return }
        let run = Run.extending(refused, by: header, at: now)
        refused = run
        if run.lasts(Limits.timeOfRefused, at: now) { hasHappened = true }
    }
}
