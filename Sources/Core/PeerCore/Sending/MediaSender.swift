import Congestion
import Datagrams
import DequeModule
import RTP
import Timebase

/// One viewer's outgoing video: numbers the shared payloads, paces them, repairs what was lost, reports.
///
/// Packets come out as plaintext; `PeerCore` protects them as they leave.
struct MediaSender {
    struct QueuedUnit {
        var unit: PacketizedUnit
        var nextPayload: Int
        var extensions: HeaderExtensions
        var queuedAt: Instant
        /// A keyframe whose beginning has left.
        var isUnderWay: Bool { unit.isKeyframe && nextPayload > 0 }
    }

    let parameters: SendParameters
    private(set) var stream: OutgoingStream
    private(set) var queue: Deque<QueuedUnit> = []
    private var queuedBytes = 0
    /// What is sent again: it leaves before pictures.
    var repairs: RepairSender
    var flexFEC: FlexFECSender?
    private var pacer: Pacer
    /// What pictures may take on average.
    private(set) var bitsPerSecond: Int
    /// How fast pictures leave, in bits per second.
    var pacingRate: Int
    /// How fast at most what only makes a picture sharper leaves, where reports alone tell of the path.
    private var patientRate = Int.max
    /// Not wrapped; the low 16 bits go on the wire.
    var sequenceNumber: Int64
    var stage = Stage.unbegun
    /// Something of its lane's pictures has left.
    var hasBegunLane = false
    /// It begins anew: the next keyframe comes behind a leap in its numbers.
    var isLeaping = false
    /// The latest leap. It stays while another is due: requests and reports may still tell of what was before it.
    var leap: Leap?
    /// The highest number that the viewer has told of.
    private var reportedUpTo: UInt32?
    var playout: PlayoutPlan
    var playoutDelay: PlayoutDelay
    /// Pictures that are still to tell of a new playout delay.
    var untoldUnits = 0
    /// When the newest keyframe's last packet left.
    private(set) var keyframeLeftAt: Instant?
    var statistics = OutgoingStatistics()

    init(
        _ parameters: SendParameters, wallClock: WallClockAnchor, random: inout any RandomNumberGenerator & Sendable,
        at now: Instant
    ) {
        self.parameters = parameters
        playout = PlayoutPlan(parameters.playout)
        playoutDelay = playout.delay
        // RFC 3550 § 5.1: random starts. Below 2¹⁵, so that a loss at the start cannot hide a roll-over of the SRTP
        // counter (RFC 3711 § 3.3.1).
        sequenceNumber = Int64.random(in: 0..<0x8000, using: &random)
        repairs = RepairSender(parameters, nextNumber: sequenceNumber, random: &random)
        stream = OutgoingStream(
            ssrc: parameters.ssrc, canonicalName: parameters.canonicalName, mid: parameters.mid,
            map: parameters.extensions, wallClock: wallClock, random: &random, at: now)
        let rate = parameters.bitsPerSecond
        bitsPerSecond = rate
        pacingRate = rate * Limits.pacingFactor
        pacer = Pacer(bitsPerSecond: rate * Limits.pacingFactor, burstBytes: Limits.burstBytes)
        flexFEC = parameters.flexFEC.map { FlexFECSender($0, protects: parameters.ssrc, random: &random) }
    }

    // MARK: In

    /// Takes a unit of the viewer's lane. Nothing before its first keyframe is sent.
    mutating func enqueue(_ unit: PacketizedUnit, at now: Instant) {
        guard !unit.payloads.isEmpty else { return }
        beginAnewIfHopeless()
        if stage != .flowing {
            if stage == .stranded, let head = queue.first, now - head.queuedAt > Limits.longestKeyframeTime { startAgain() }
            guard unit.isKeyframe else { return }
            // A preview that has not begun to leave is of no use any more.
            if queue.first?.nextPayload == 0 { startAgain() }
            stage = .flowing
        }
        let isTooLate = queue.first.map { now - $0.queuedAt > ($0.isUnderWay ? Limits.keyframeTime : Limits.queuedTime) }
            ?? false
        if isTooLate || queue.count >= Limits.queuedUnits || queuedBytes + unit.bytes.count > Limits.queuedBytes {
            // A mere sign of life must not cost what is under way, and nothing refers to it.
            guard unit.isReference else { return statistics.unitsDropped += 1 }
            if keepsKeyframe(at: now) { return statistics.unitsDropped += 1 }
            startAgain()
            // A keyframe that somebody asked for is as good a beginning as the next.
            guard unit.isKeyframe, unit.bytes.count <= Limits.queuedBytes else {
                statistics.unitsDropped += 1
                return stage = .stranded
            }
            stage = .flowing
        }
        queuedBytes += unit.bytes.count
        let next = inOrder(unit)
        queue.append(QueuedUnit(unit: next, nextPayload: 0, extensions: extensions(for: next, at: now), queuedAt: now))
        setPace(at: now)
    }

    /// A keyframe that takes long, as 15 kB do at 20 kbit/s, is all that such a viewer gets to see: it goes on, without what
    /// stands behind it, and another is asked for once it has left.
    /// - Returns: false where none is under way, or it takes too long even so.
    private mutating func keepsKeyframe(at now: Instant) -> Bool {
        guard let head = queue.first, head.isUnderWay, now - head.queuedAt <= Limits.longestKeyframeTime else {
            return false
        }
        statistics.unitsDropped += queue.count - 1
        queue.removeLast(queue.count - 1)
        queuedBytes = head.unit.payloads[head.nextPayload...].reduce(0) { $0 + $1.count }
        stage = .stranded
        return true
    }

    /// What only makes a picture sharper leaves as fast as the link carries it, so that nothing behind it waits in a
    /// queue on the way; as soon as something new stands behind it, both hurry.
    private mutating func setPace(at now: Instant) {
        if hasOnlyRefinement {
            let rate = min(bitsPerSecond, patientRate) * Limits.patientPacingPercent / 100
            pacer.set(
                bitsPerSecond: min(rate, pacingRate), burstBytes: Limits.patientBurstBytes, at: now)
        } else {
            pacer.set(bitsPerSecond: pacingRate, burstBytes: burst, at: now)
        }
    }

    /// Nothing waits but what makes a picture sharper.
    var hasOnlyRefinement: Bool { queue.count == 1 && queue[0].unit.isRefinement }

    /// What leaves at once is on the link for no longer than a frame lasts.
    private var burst: Int {
        max(Limits.leastBurstBytes, min(Limits.burstBytes, pacingRate / 8 / Limits.burstsPerSecond))
    }

    /// A viewer this far behind is served from the next keyframe on.
    mutating func startAgain() {
        statistics.unitsDropped += queue.count
        queue.removeAll()
        queuedBytes = 0
        if stage == .flowing { stage = .awaitingKeyframe }
    }

    /// What is queued, and what of it was lost, belongs to another encoder's stream; a keyframe of the new one follows at
    /// once, and is not to wait behind repairs that nobody needs any more.
    ///
    /// Who takes no repair packets, and asks for it all the same, gets it: there are receivers that show nothing behind a gap, be
    /// it a keyframe.
    mutating func dropUnsent() {
        startAgain()
        repairs.dropUnsent()
        flexFEC?.forget()
    }

    /// Whether a keyframe has to be asked for on the viewer's behalf; it sees no loss, because nothing was numbered. While
    /// nothing passes there is no use in one.
    mutating func takeKeyframeWish(_ path: PathControl) -> Bool {
        // Where the peer is there, and nothing that is left tries the way to it, only a keyframe can.
        let isHelpless = path.isHeardInSilence && !isWaiting && !repairs.probesSilence(path)
        guard stage == .stranded, !path.isSilent || isHelpless, queue.first?.isUnderWay != true else { return false }
        stage = .awaitingKeyframe
        return true
    }

    /// What the stream may use from now on.
    mutating func setBitrate(_ bitsPerSecond: Int, at now: Instant) {
        self.bitsPerSecond = bitsPerSecond
        setPace(at: now)
        repairs.budget.set(bitsPerSecond: bitsPerSecond)
    }

    /// Nothing from before is sent any more.
    mutating func forgetPictures() {
        dropUnsent()
        repairs.history.removeAll()
    }

    /// What the viewer's reports say of our stream.
    ///
    /// - Returns: what was lost of it since the last report, 0…1, of how many packets, and the round trip, if it tells one.
    mutating func handle(_ report: ReportBlock, at now: Instant) -> (loss: Double, packets: Int, roundTrip: Duration?)? {
        guard report.ssrc == parameters.ssrc else { return nil }
        let highest = report.extendedHighestSequenceNumber
        let numbers = reportedUpTo.map { ReportBlock.packets(after: $0, upTo: highest) } ?? statistics.packetsSent
        reportedUpTo = highest
        let (loss, packets) = withoutLeaps(loss: Double(report.fractionLost) / 256, of: numbers, upTo: highest)
        statistics.lossFraction = loss
        let roundTrip = report.roundTripTime(received: stream.wallClock.ntp(at: now))
        if let roundTrip { statistics.roundTripTime = roundTrip }
        repairs.told(loss: loss, roundTrip: roundTrip, at: now)
        return (statistics.lossFraction, min(packets, Limits.packetsBetweenReports), roundTrip)
    }

    /// The newest unit of which something has left.
    var lastSent: (mediaTime: MediaTime, capturedAt: Instant)? {
        stream.last.map { (MediaTime(ticks: $0.ticks), $0.capturedAt) }
    }

    mutating func countKeyframeRequest() { statistics.keyframeRequests += 1 }

    /// The viewer wants a keyframe: for what it has given up, and what refers to it, it has no use any more. Where that
    /// would take long, nothing of it is sent; a keyframe that is under way, and its repairs, are.
    mutating func abandon(_ path: PathControl, at now: Instant) {
        if queue.contains(where: \.unit.isKeyframe) { return }
        if let keyframeLeftAt, now - keyframeLeftAt < Limits.graceOfKeyframe { return }
        let waiting = queuedBytes + repairs.backlog
        guard Double(waiting * 8) > Double(path.target) * Limits.longWait.inSeconds else { return }
        dropUnsent()
    }

    // MARK: Out

    /// When the next packet may leave; nil when nothing waits.
    func nextSend(_ path: PathControl, at now: Instant) -> Instant? {
        guard let free = path.mayLeave(at: now) else { return nil }
        if isWaiting || repairs.probesSilence(path) { return max(free, pacer.nextSend) }
        let later = repairs.due
        if later < .distantFuture { return max(free, pacer.nextSend, later) }
        guard repairs.hasProbe, let due = path.probeDue else { return nil }
        return max(free, pacer.nextSend, due)
    }

    private var isWaiting: Bool { !queue.isEmpty || repairs.isWaiting || flexFEC?.isWaiting == true }

    /// Bytes of pictures that wait.
    var backlog: Int { queuedBytes }

    /// The next packet that may leave now: repairs first, then pictures.
    mutating func nextPacket(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        beginAnewIfHopeless()
        // First of all: at another rate the next may be due sooner.
        let patientRate = path.goesByReports ? path.target : .max
        if pacingRate != path.pacingRate || self.patientRate != patientRate {
            (pacingRate, self.patientRate) = (path.pacingRate, patientRate)
            setPace(at: now)
        }
        guard let due = nextSend(path, at: now), due <= now else { return nil }
        repairs.releaseCopies(at: now)
        if !isWaiting { repairs.useRest(of: &path, at: now) }
        let packet = nextRepair(&path, at: now) ?? nextFlexFEC(&path, at: now) ?? nextPayload(&path, at: now)
        if let packet {
            pacer.sent(bytes: packet.count, at: now)
            statistics.packetsSent += 1
            statistics.bytesSent += packet.count
        }
        return packet
    }

    private mutating func nextPayload(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        // Once: each look into the queue copies the place of the unit, and counts all that it refers to.
        guard var head = queue.first else { return nil }
        let (unit, index) = (head.unit, head.nextPayload)
        if index == 0 { leapIfDue() }
        let range = unit.payloads[index]
        let isLast = index == unit.payloads.count - 1
        stream.number(&head.extensions, &path, at: now)
        var packet: [UInt8] = []
        packet.reserveCapacity(range.count + Limits.packetOverhead)
        RTPHeader(
            marker: isLast, payloadType: parameters.payloadType,
            sequenceNumber: UInt16(truncatingIfNeeded: sequenceNumber),
            timestamp: stream.timestamp(unit.mediaTime.ticks), ssrc: parameters.ssrc
        ).append(to: &packet, extensions: head.extensions, map: parameters.extensions)
        packet.append(contentsOf: unit.bytes[range])
        path.mediaSent(packets: unit.payloads.count, at: now)
        stream.sent(
            payloadBytes: range.count, ticks: unit.mediaTime.ticks, capturedAt: unit.capturedAt,
            tellsMoment: isLast && head.extensions.absoluteCaptureTime != nil, at: now)
        flexFEC?.sent(packet, sequenceNumber: UInt16(truncatingIfNeeded: sequenceNumber), isLast, path)
        repairs.sent(unit, index, as: sequenceNumber, bytes: packet.count, path, at: now)
        sequenceNumber += 1
        hasBegunLane = true
        queue[0].nextPayload += 1
        queuedBytes -= range.count
        if isLast {
            queue.removeFirst()
            if unit.isKeyframe {
                keyframeLeftAt = now
                // What stood behind it waited for that alone.
                for index in queue.indices { queue[index].queuedAt = now }
            }
            setPace(at: now)
        }
        return packet
    }

    mutating func report(at now: Instant) -> [UInt8]? {
        stream.report(at: now) { MediaTime(elapsed: $0).ticks }
    }

    /// BYE (RFC 3550 § 6.6) behind a report, as a compound packet must be.
    ///
    /// - Parameter audio: the SSRC that ends with the pictures.
    mutating func goodbye(audio: UInt32?, at now: Instant) -> [UInt8] {
        stream.nextReport = now
        var bytes = report(at: now) ?? []
        if bytes.isEmpty { ReceiverReport(ssrc: parameters.ssrc, reports: []).append(to: &bytes) }
        Goodbye(ssrcs: [parameters.ssrc] + (audio.map { [$0] } ?? [])).append(to: &bytes)
        return bytes
    }

    /// The extensions of a unit: the same for all its packets, so that they have one size and leave in one call.
    private mutating func extensions(for unit: PacketizedUnit, at now: Instant) -> HeaderExtensions {
        var extensions = stream.extensions
        if unit.isKeyframe { extensions.videoContentType = .screen }
        if unit.isKeyframe || untoldUnits > 0 { extensions.playoutDelay = playoutDelay }
        untoldUnits = max(0, untoldUnits - 1)
        extensions.absoluteCaptureTime = stream.captureTime(
            of: unit.mediaTime.elapsed, capturedAt: unit.capturedAt, isFirst: unit.isKeyframe, at: now)
        return extensions
    }
}

/// Counters of one outgoing stream.
package struct OutgoingStatistics: Sendable {
    package var packetsSent = 0
    package var bytesSent = 0
    package var retransmissions = 0
    package var bytesRepaired = 0
    package var packetsReportedMissing = 0
    package var keyframeRequests = 0
    package var unitsDropped = 0
    package var lossFraction = 0.0
    package var roundTripTime: Duration?

    package init() {}
}
