import Datagrams
import DequeModule
import RTP
import Timebase

/// A packet of sound as it came from the sharer, not yet in order.
package struct ReceivedAudio: Sendable {
    /// One Opus packet.
    package var bytes: [UInt8]
    /// Of the packets right before it, the oldest first (RED); empty where a packet's is none of sound.
    package var copies: [AudioPlayout.Copy]
    /// Not wrapped.
    package var sequenceNumber: Int64
    /// In ticks of 48 kHz, not wrapped.
    package var timestamp: Int64
    /// When its first sample was heard, on the sharer's wall clock; nil before its first report.
    package var capturedAt: NTPTimestamp?
    package var receivedAt: Instant
    /// It has nothing to do with what came before: another stream of which there was hardly any.
    package var beginsAnew = false
}

/// One incoming stream of sound: counts it for reports, and takes its packets apart. What is missing is not asked for:
/// `AudioPlayout` makes do with copies, and conceals the rest.
struct AudioReceiver {
    private let parameters: AudioReceiveParameters
    var stream = IncomingStream(clockRate: AudioTime.ticksPerSecond)
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
        let before = stream.ssrc
        guard let packet = bytes.read({ try? RTPPacket($0) }), takes(packet.header.payloadType),
            stream.receive(packet, mayBeginAnew: true, at: now)
        else { return }
        let isAnew = before != nil && before != stream.ssrc
        if isAnew {
            sequenceNumbers = Unwrapper()
            timestamps = Unwrapper()
        }
        guard let (primary, copies) = contents(of: packet, bytes) else { return }
        let header = packet.header
        if packets.count >= Limits.receivedAudio { packets.removeFirst() }
        packets.append(
            ReceivedAudio(
                bytes: primary, copies: copies, sequenceNumber: sequenceNumbers.unwrap(header.sequenceNumber),
                timestamp: timestamps.unwrap(header.timestamp),
                // What was reported is of the other.
                capturedAt: isAnew ? nil : clock.captured(header.timestamp), receivedAt: now, beginsAnew: isAnew))
    }

    /// Nil for what holds no sound: padding, or a payload of another kind within RED.
    private func contents(of packet: RTPPacket, _ bytes: [UInt8]) -> ([UInt8], [AudioPlayout.Copy])? {
        if packet.payload.isEmpty { return nil }
        if packet.header.payloadType == parameters.payloadType { return (Array(bytes[packet.payload]), []) }
        guard let red = bytes.read({ RedundantPayload($0, payload: packet.payload) }),
            red.payloadType == parameters.payloadType, !red.primary.isEmpty
        else { return nil }
        // A packet that has no copy here keeps its place: by that those before it are numbered.
        let copies = red.redundant.map { block in
            AudioPlayout.Copy(
                timestampOffset: Int64(block.timestampOffset),
                bytes: block.payloadType == parameters.payloadType ? Array(bytes[block.bytes]) : [])
        }
        return (Array(bytes[red.primary]), copies)
    }

    mutating func nextPacket() -> ReceivedAudio? { packets.popFirst() }
}
