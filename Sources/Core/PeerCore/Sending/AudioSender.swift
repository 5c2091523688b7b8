import Datagrams
import DequeModule
import RTP
import Timebase

/// One viewer's outgoing sound: numbers the shared Opus packets, adds copies of those before where they get lost (RED,
/// RFC 2198), reports.
///
/// A packet leaves as soon as it is there, ahead of all pictures: sound is small, and late sound is lost sound.
struct AudioSender {
    private let parameters: AudioSendParameters
    private(set) var stream: OutgoingStream
    private var queue: Deque<Packet> = []
    /// Which encoding the viewer gets.
    var lane = AudioLane.full
    /// Bytes of a packet, averaged, and how long it lasts.
    private var meanBytes = 0.0
    private var lastTicks: Int64?
    private var packetTicks: Int64 = 960
    private var history = RedundancyHistory()
    private var redundancy = RedundancyPolicy()
    /// What was last said to be lost.
    private var toldLoss = 0.0
    /// What sound may take, copies and all: of a narrow path half, for where that is what loses packets more of them would
    /// not help.
    private var budget = Int.max
    private var sequenceNumber: UInt16
    /// The next packet follows a silence in which nothing was sent, or is the first.
    private var beginsTalk = true

    init(
        _ parameters: AudioSendParameters, wallClock: WallClockAnchor,
        random: inout any RandomNumberGenerator & Sendable, at now: Instant
    ) {
        self.parameters = parameters
        // As for pictures: random, and far from the first roll-over.
        sequenceNumber = UInt16.random(in: 0..<0x8000, using: &random)
        stream = OutgoingStream(
            ssrc: parameters.ssrc, canonicalName: parameters.canonicalName, mid: parameters.mid,
            map: parameters.extensions, wallClock: wallClock, random: &random, at: now)
    }

    /// What leaves next, in the viewer's encoding.
    private struct Packet {
        let bytes: [UInt8]
        let time: AudioTime
        let capturedAt: Instant
    }

    // MARK: In

    mutating func enqueue(_ unit: AudioUnit) {
        guard let encoding = unit.encodings[lane] ?? unit.encodings.best, !encoding.isSilent else {
            beginsTalk = true
            return
        }
        // A loop that stood still for so long plays what is new.
        if queue.count >= Limits.queuedAudio { queue.removeFirst() }
        queue.append(Packet(bytes: encoding.bytes, time: unit.time, capturedAt: unit.capturedAt))
        meanBytes += (Double(encoding.bytes.count) - meanBytes) / 16
        if let lastTicks, !beginsTalk { packetTicks = max(120, unit.time.ticks - lastTicks) }
        lastTicks = unit.time.ticks
    }

    /// The share was paused: nothing from before is heard any more.
    mutating func forget() {
        queue.removeAll()
        history = RedundancyHistory()
        beginsTalk = true
    }

    /// None comes any more.
    mutating func end() {
        forget()
        lastTicks = nil
    }

    /// What the viewer's reports say of our stream.
    ///
    /// - Returns: what a viewer loses whom copies may not help, 0…1, where that has changed; 0 where it does not matter.
    mutating func handle(_ report: ReportBlock, at now: Instant) -> Double? {
        guard report.ssrc == parameters.ssrc else { return nil }
        redundancy.reported(lossFraction: Double(report.fractionLost) / 256, at: now)
        return mayLackCopies ? lossToTell() : nil
    }

    /// The viewer takes none, or bounds what sound may take: then there may be no room for them.
    private var mayLackCopies: Bool { parameters.redundancyPayloadType == nil || parameters.maximumBitrate != nil }

    private mutating func lossToTell() -> Double? {
        let loss = redundancy.levels == 0 ? 0 : redundancy.loss
        guard (loss == 0) != (toldLoss == 0) || abs(loss - toldLoss) > Limits.lossChange else { return nil }
        toldLoss = loss
        return loss
    }

    /// What it takes of the path, headers and all.
    var bitsPerSecond: Int {
        guard let lastTicks, lastTicks > 0 else { return 0 }
        let bytes = meanBytes * Double(1 + copies) + Limits.audioHeaders
        return Int(bytes * 8 * Double(AudioTime.ticksPerSecond) / Double(packetTicks))
    }

    /// As many copies as are worth it, and as the viewer takes.
    private var copies: Int {
        guard parameters.redundancyPayloadType != nil else { return 0 }
        let bitsPerSecond = meanBytes * 8 * Double(AudioTime.ticksPerSecond) / Double(packetTicks)
        return redundancy.levels(bitsPerSecond: Int(bitsPerSecond), budget: budget)
    }

    // MARK: Out

    mutating func nextPacket(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        guard let unit = queue.popFirst() else { return nil }
        budget = min(parameters.maximumBitrate ?? .max, path.target > 0 ? path.target / 2 : .max)
        // There it is the queue that loses packets.
        if lane == .narrow, path.toldQueueDelay > Limits.queueOfFlexFEC { budget = 0 }
        let (type, payload) = payload(of: unit)
        let extensions = extensions(for: unit, &path, at: now)
        var packet: [UInt8] = []
        packet.reserveCapacity(payload.count + Limits.packetOverhead)
        RTPHeader(
            // RFC 3551 § 4.1: set on the first packet after a silence.
            marker: beginsTalk, payloadType: type, sequenceNumber: sequenceNumber,
            timestamp: stream.timestamp(unit.time.ticks), ssrc: parameters.ssrc
        ).append(to: &packet, extensions: extensions, map: parameters.extensions)
        packet.append(contentsOf: payload)
        sequenceNumber &+= 1
        beginsTalk = false
        stream.sent(
            payloadBytes: payload.count, ticks: unit.time.ticks, capturedAt: unit.capturedAt,
            tellsMoment: extensions.absoluteCaptureTime != nil, at: now)
        return packet
    }

    private mutating func payload(of unit: Packet) -> (type: UInt8, bytes: [UInt8]) {
        guard let red = parameters.redundancyPayloadType, copies > 0 else {
            // So that the first packet with copies has some.
            history.remember(unit.bytes, timestamp: unit.time.ticks)
            return (parameters.payloadType, unit.bytes)
        }
        let bytes = history.wrap(
            unit.bytes, timestamp: unit.time.ticks, payloadType: parameters.payloadType, levels: copies)
        return (red, bytes)
    }

    private mutating func extensions(
        for unit: Packet, _ path: inout PathControl, at now: Instant
    ) -> HeaderExtensions {
        var extensions = stream.extensions
        stream.number(&extensions, &path, at: now)
        extensions.absoluteCaptureTime = stream.captureTime(
            of: unit.time.elapsed, capturedAt: unit.capturedAt, isFirst: beginsTalk, at: now)
        return extensions
    }

    mutating func report(at now: Instant) -> [UInt8]? {
        stream.report(at: now) { AudioTime(elapsed: $0).ticks }
    }
}
