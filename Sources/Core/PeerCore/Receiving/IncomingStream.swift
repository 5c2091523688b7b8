import RTP
import Timebase

/// One SSRC of the peer's: counted for our reports, and watched for another that comes in its place.
struct IncomingStream {
    private let clockRate: Int64
    private var reception: ReceptionStatistics?
    private var change = StreamChange()

    /// - Parameter clockRate: RTP units per second.
    init(clockRate: Int64) {
        self.clockRate = clockRate
    }

    /// Nil before the first packet.
    var ssrc: UInt32? { reception?.ssrc }

    /// Another stream comes in its place.
    var isReplaced: Bool { change.hasHappened }

    /// An authenticated packet.
    ///
    /// - Parameter mayBeginAnew: where hardly anything came of the first SSRC, another one takes its place as it is.
    /// - Returns: whether it is of this stream. There is one per peer: the first SSRC is the one.
    mutating func receive(_ packet: RTPPacket, mayBeginAnew: Bool = false, at now: Instant) -> Bool {
        let header = packet.header
        var reception = self.reception ?? ReceptionStatistics(ssrc: header.ssrc, clockRate: clockRate)
        change.note(packet, of: reception, at: now)
        if mayBeginAnew, change.takesPlace(of: reception) == header.ssrc {
            reception = ReceptionStatistics(ssrc: header.ssrc, clockRate: clockRate)
            change = StreamChange()
        }
        guard reception.ssrc == header.ssrc else { return false }
        reception.receive(sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, at: now)
        self.reception = reception
        return true
    }

    /// A packet that could not be opened, by what its header says.
    mutating func refuse(_ header: RTPHeader, at now: Instant) {
        if let reception { change.refuse(header, of: reception, at: now) }
    }

    /// - Returns: whether the report is about this stream.
    mutating func handle(_ report: SenderReport, at now: Instant) -> Bool {
        guard ssrc == report.ssrc else { return false }
        reception?.receive(senderReport: report, at: now)
        return true
    }

    mutating func makeReport(at now: Instant) -> ReportBlock? { reception?.makeReport(at: now) }
}
