import Datagrams
import DequeModule
import RTP
import Timebase

/// A packet of sound as it came from the sharer, not yet in order.
package struct ReceivedAudio: Sendable {
    /// One Opus packet.
    package var bytes: [UInt8]
    /// Of the packets right before it, the oldest first (RED).
    package var copies: [AudioPlayout.Copy]
    /// Not wrapped.
    package var sequenceNumber: Int64
    /// In ticks of 48 kHz, not wrapped.
    package var timestamp: Int64
    /// When its first sample was heard, on the sharer's wall clock; nil before its first report.
    package var capturedAt: NTPTimestamp?
    package var receivedAt: Instant
}

/// One incoming stream of sound: counts it for reports, and takes its packets apart. What is missing is not asked for:
/// `AudioPlayout` makes do with copies, and conceals the rest.
struct AudioReceiver {
    private let parameters: AudioReceiveParameters
    private var reception: ReceptionStatistics?
    private var change = StreamChange()
    private var sequenceNumbers = Unwrapper<UInt16>()
    private var timestamps = Unwrapper<UInt32>()
    private var packets: Deque<ReceivedAudio> = []

    init(_ parameters: AudioReceiveParameters) {
        self.parameters = parameters
    }

    func takes(_ payloadType: UInt8) -> Bool {
        payloadType == parameters.payloadType || payloadType == parameters.redundancyPayloadType
    }

    /// One unprotected RTP packet.
    mutating func receive(_ bytes: [UInt8], clock: ReportedClock, at now: Instant) {
        guard let packet = bytes.read({ try? RTPPacket($0) }), takes(packet.header.payloadType) else { return }
        let header = packet.header
        var reception = self.reception ?? ReceptionStatistics(ssrc: header.ssrc, clockRate: AudioTime.ticksPerSecond)
        change.note(packet, of: reception, at: now)
        // One stream per peer: the first SSRC that is authenticated is the one.
        guard reception.ssrc == header.ssrc else { return }
        reception.receive(sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, at: now)
        self.reception = reception
        guard let (primary, copies) = contents(of: packet, bytes) else { return }
        if packets.count >= Limits.receivedAudio { packets.removeFirst() }
        packets.append(
            ReceivedAudio(
                bytes: primary, copies: copies, sequenceNumber: sequenceNumbers.unwrap(header.sequenceNumber),
                timestamp: timestamps.unwrap(header.timestamp), capturedAt: clock.captured(header.timestamp),
                receivedAt: now))
    }

    /// Nil for what holds no sound: padding, or a payload of another kind within RED.
    private func contents(of packet: RTPPacket, _ bytes: [UInt8]) -> ([UInt8], [AudioPlayout.Copy])? {
        if packet.payload.isEmpty { return nil }
        if packet.header.payloadType == parameters.payloadType { return (Array(bytes[packet.payload]), []) }
        guard let red = bytes.read({ RedundantPayload($0, payload: packet.payload) }),
            red.payloadType == parameters.payloadType, !red.primary.isEmpty
        else { return nil }
        let copies = red.redundant.filter { $0.payloadType == parameters.payloadType && !$0.bytes.isEmpty }
        return (
            Array(bytes[red.primary]),
            copies.map { AudioPlayout.Copy(timestampOffset: Int64($0.timestampOffset), bytes: Array(bytes[$0.bytes])) }
        )
    }

    /// A packet that could not be opened, by what its header says.
    mutating func refuse(_ header: RTPHeader, at now: Instant) {
        if let reception { change.refuse(header, of: reception, at: now) }
    }

    /// Another stream comes in its place.
    var isReplaced: Bool { change.hasHappened }

    mutating func nextPacket() -> ReceivedAudio? { packets.popFirst() }

    /// Whether the report is about this stream.
    mutating func handle(_ report: SenderReport, at now: Instant) -> Bool {
        guard reception?.ssrc == report.ssrc else { return false }
        reception?.receive(senderReport: report, at: now)
        return true
    }

    mutating func makeReport(at now: Instant) -> ReportBlock? { reception?.makeReport(at: now) }
}
