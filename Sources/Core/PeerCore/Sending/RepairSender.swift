import Congestion
import DequeModule
import RTP
import Timebase

/// What one viewer is sent again (RFC 4588): packets of pictures that it misses, and what measures a path.
///
/// It keeps what has left. What is asked for, or told to be lost, is sent again within a budget, and once in a round trip;
/// for what there is no room is owed. Where a round trip is a freeze, what the path has room for is repeated unasked. Nothing
/// of it is paced here: `MediaSender` takes one packet at a time, before pictures.
struct RepairSender {
    /// A packet that is sent again, and its number.
    struct Repair {
        var packet: RetransmissionHistory.Packet
        var number: UInt16
        /// Nobody misses it.
        var isProbe = false
    }

    /// A packet that is sent once more, behind what it is a copy of, and when.
    struct Copy {
        var repair: Repair
        var due: Instant
    }

    /// A large packet, and its number: what probes repeat.
    private struct Large {
        var packet: RetransmissionHistory.Packet
        var number: Int64
    }

    let parameters: SendParameters
    /// What leaves next, before pictures.
    var waiting: Deque<Repair> = []
    /// Copies of repairs, and of pictures' packets, that leave later, in the order in which they do.
    var copies: Deque<Copy> = []
    /// What may be missing and is to be sent again later: for it there was no room, or its answer may be lost as well.
    var owed: Deque<Owed> = []
    /// When what is owed is looked after next; `.distantFuture` where it waits for pictures, which bring budget with them.
    var owedDue = Instant.zero
    /// When what is owed was last seen to meet a queue on the path that may have no room for it.
    var fullAt: Instant?
    var history = RetransmissionHistory()
    var budget: RepairBudget
    /// What pictures and sound leave of a path on which all is sent twice.
    var spare = SpareBudget()
    var lossRuns = LossRuns()
    var reportedLosses: ReportedLosses?
    /// What reports told last: the share lost, and the round trip.
    private(set) var lossFraction = 0.0
    private(set) var roundTripTime: Duration?
    /// When one last told of losses.
    private(set) var toldLossAt: Instant?
    /// Of what the viewer misses nobody knows what has come: it begins anew before another packet of pictures leaves.
    var isHopeless = false
    /// That of the pictures' next packet.
    private(set) var nextNumber: Int64
    private var sequenceNumber: UInt16
    private var lastLarge: Large?

    /// - Parameter nextNumber: that of the pictures' first packet.
    init(_ parameters: SendParameters, nextNumber: Int64, random: inout any RandomNumberGenerator & Sendable) {
        self.parameters = parameters
        self.nextNumber = nextNumber
        sequenceNumber = UInt16.random(in: 0..<0x8000, using: &random)
        budget = RepairBudget(bitsPerSecond: parameters.bitsPerSecond)
    }

    // MARK: In

    /// A packet of the pictures leaves. It brings budget with it: some of what is owed may follow.
    ///
    /// - Parameter bytes: the whole packet's.
    mutating func sent(
        _ unit: PacketizedUnit, _ index: Int, as number: Int64, bytes: Int, _ path: PathControl, at now: Instant
    ) {
        history.maximumAge = path.historyAge
        history.record(sequenceNumber: number, unit: unit, payloadIndex: index, as: path.number, at: now)
        if unit.payloads[index].count >= Congestion.Limits.probeBytes {
            lastLarge = Large(packet: RetransmissionHistory.Packet(unit: unit, payloadIndex: index), number: number)
        }
        nextNumber = number + 1
        budget.earn(bytes)
        sendAhead(unit, index, as: number, bytes: bytes, path, at: now)
        if !owed.isEmpty { payOwed(path, behindPictures: true, at: now) }
    }

    /// What a report says of the pictures' packets.
    mutating func told(loss: Double, roundTrip: Duration?, at now: Instant) {
        lossFraction = loss
        if loss > Limits.lossOfFlexFEC { toldLossAt = now }
        if let roundTrip { roundTripTime = roundTrip }
    }

    /// Nothing of what waits or is owed is sent again. Who takes repair packets shows what comes behind a gap, and needs
    /// nothing of it any more; others may ask for it again.
    mutating func dropUnsent() {
        if owesRepairs {
            for repair in waiting where !repair.isProbe { history.withdraw(repair.number) }
        }
        waiting.removeAll()
        copies.removeAll()
        owed.removeAll()
        lastLarge = nil
        isHopeless = false
    }

    // MARK: Out

    var isWaiting: Bool { !waiting.isEmpty }

    /// Bytes of payload that wait.
    var backlog: Int { waiting.reduce(0) { $0 + $1.packet.payload.count } }

    /// When there is more to do than `isWaiting` says; `.distantFuture` where there is not.
    var due: Instant { min(copies.first?.due ?? .distantFuture, owed.isEmpty ? .distantFuture : owedDue) }

    /// Copies whose time has come.
    mutating func releaseCopies(at now: Instant) {
        while let copy = copies.first, copy.due <= now {
            waiting.append(copy.repair)
            copies.removeFirst()
        }
    }

    /// Nothing waits, pictures neither: it is the turn of what is owed, or else of a probe.
    mutating func useRest(of path: inout PathControl, at now: Instant) {
        let owes = !owed.isEmpty && owedDue <= now && !probesSilence(path)
        if owes { payOwed(path, at: now) } else { appendProbe(&path, at: now) }
    }

    /// - Returns: nil where nothing waits.
    mutating func nextPacket(
        of stream: OutgoingStream, _ playoutDelay: PlayoutDelay, _ path: inout PathControl, at now: Instant
    ) -> (bytes: [UInt8], isProbe: Bool)? {
        guard let retransmission = parameters.retransmission, let repair = waiting.popFirst() else { return nil }
        let payload = repair.packet.payload
        var extensions = stream.sideExtensions(&path, at: now)
        // What stood in the original (RFC 4588 § 4), as far as a receiver may know it from that alone: how pictures are to
        // be shown, it asks a picture's first packet.
        if repair.packet.unit.isKeyframe {
            extensions.playoutDelay = playoutDelay
            extensions.videoContentType = .screen
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + Limits.packetOverhead)
        RTPHeader(
            marker: repair.packet.isMarked, payloadType: retransmission.payloadType, sequenceNumber: sequenceNumber,
            timestamp: stream.timestamp(repair.packet.unit.mediaTime.ticks), ssrc: retransmission.ssrc
        ).append(to: &bytes, extensions: extensions, map: parameters.extensions)
        history.left(repair.number, as: path.number, at: now)
        RetransmissionPayload.append(originalSequenceNumber: repair.number, payload: payload, to: &bytes)
        sequenceNumber &+= 1
        return (bytes, repair.isProbe)
    }

    // MARK: Probes

    /// While nothing passes, the last packet goes out again and again, so that the path's return is noticed (RFC 9002
    /// § 6.2.4).
    func probesSilence(_ path: PathControl) -> Bool {
        path.isSilent && parameters.retransmission != nil && history.newest != nil
    }

    /// There is something to probe an idle path with.
    var hasProbe: Bool { probe != nil }

    /// A large packet once more, which a viewer drops.
    private var probe: Repair? {
        guard parameters.retransmission != nil, let lastLarge, nextNumber - lastLarge.number < Limits.probeAge else {
            return nil
        }
        return Repair(
            packet: lastLarge.packet, number: UInt16(truncatingIfNeeded: lastLarge.number), isProbe: true)
    }

    private mutating func appendProbe(_ path: inout PathControl, at now: Instant) {
        if path.isSilent, let newest = history.newest {
            waiting.append(Repair(packet: newest, number: UInt16(truncatingIfNeeded: nextNumber - 1), isProbe: true))
        } else if let probe {
            path.probeSent(at: now)
            waiting.append(probe)
        }
    }
}

extension PathControl {
    /// How long packets are kept to be sent again. Where a round trip takes long, nothing is asked for before it is over.
    fileprivate var historyAge: Duration {
        if goesByReports { return RTP.Limits.historyAge }
        let rounds = min((feedbackDelay ?? .zero) * 2, RTP.Limits.historyAge * 2)
        return max(RTP.Limits.historyAgeOfFeedback, rounds)
    }
}
