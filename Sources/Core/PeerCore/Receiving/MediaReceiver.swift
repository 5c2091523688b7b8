import Datagrams
import DequeModule
import RTP
import Timebase

/// One incoming video stream: order, repair, access units, reference chain, and the feedback that all of it asks for.
struct MediaReceiver {
    /// An unprotected packet that waits for its turn.
    private struct Packet: Sendable {
        var bytes: [UInt8]
        var payload: Range<Int>
        var timestamp: UInt32
        var marker: Bool
    }

    private var parameters: ReceiveParameters
    private var buffer: RepairBuffer<Packet>
    private var flexFEC: FlexFECDecoder?
    private var lastRepairPacket: Instant?
    private var depacketizer = H264Depacketizer()
    private var chain = ReferenceChain()
    private var leading = LeadingParameterSets()
    /// The answer's; nil where it has none, or the stream has brought its own.
    private var answeredSets: AccessUnit?
    var stream = IncomingStream(clockRate: MediaTime.ticksPerSecond)
    private var timestamps = Unwrapper<UInt32>()
    private var units: Deque<ReceivedUnit> = []
    private var requests: Deque<[UInt16]> = []
    /// Requests get lost as packets do: each is sent a few times.
    private var copies: Deque<(due: Instant, numbers: [UInt16])> = []
    private var lossRuns = LossRuns()
    /// Where packets get lost in a row: when all that has not come is asked for once more. Whether an answer is under way
    /// the sharer knows better.
    private var volleyDue: Instant?
    /// Bytes that such requests may take: a part of what comes, for the way back may be as narrow.
    private var volleyBudget = 0
    private var keyframeIsWanted = false
    /// The first packet of the newest keyframe.
    private var keyframeBegins = Int64.min
    private var keyframeTimestamp: UInt32?
    /// Of the keyframe that comes in: its timestamp, and when its last packet came.
    private var incoming: (timestamp: UInt32, at: Instant)?
    private var lastKeyframeRequest: Instant?
    private var nextReport: Instant
    private(set) var statistics = IncomingStatistics()

    init(_ parameters: ReceiveParameters, at now: Instant) {
        self.parameters = parameters
        buffer = RepairBuffer(longestWait: Limits.repairTime, roundTripTime: Limits.assumedRoundTrip)
        nextReport = now + Limits.reportInterval
        update(parameters)
    }

    mutating func update(_ parameters: ReceiveParameters) {
        self.parameters = parameters
        answeredSets = AccessUnit(parameterSets: parameters.parameterSets)
        if let answeredSets { _ = chain.judge(answeredSets) }
    }

    // MARK: In

    /// One unprotected RTP packet.
    mutating func receive(_ bytes: [UInt8], at now: Instant) {
        guard let packet = bytes.read({ try? RTPPacket($0) }) else { return }
        let header = packet.header
        statistics.packets += 1
        statistics.bytes += bytes.count
        volleyBudget = min(volleyBudget + bytes.count / Limits.volleyShare, Limits.volleyBytes)
        if parameters.payloadTypes.contains(header.payloadType) {
            receiveOriginal(bytes, packet, at: now)
        } else if parameters.retransmissionPayloadTypes.contains(header.payloadType) {
            receiveRetransmission(bytes, packet, at: now)
        } else if header.payloadType == parameters.flexFECPayloadType {
            receiveFlexFEC(bytes, packet, at: now)
        }
        advance(to: now)
    }

    private mutating func receiveOriginal(_ bytes: [UInt8], _ packet: RTPPacket, at now: Instant) {
        guard stream.receive(packet, at: now) else { return }
        let header = packet.header
        insert(bytes, packet.payload, header, header.sequenceNumber, now)
        guard parameters.flexFECPayloadType != nil else { return }
        flexFEC = flexFEC ?? FlexFECDecoder(ssrc: header.ssrc)
        insert(flexFEC?.receive(bytes, sequenceNumber: header.sequenceNumber) ?? [], at: now)
        if header.marker { buffer.repairPacketsCome(upTo: header.sequenceNumber, at: now) }
        if let lastRepairPacket, now - lastRepairPacket > Limits.repairPacketMemory { buffer.repairPacketPatience = nil }
    }

    /// RFC 8627: what it recovers need not be asked for.
    private mutating func receiveFlexFEC(_ bytes: [UInt8], _ packet: RTPPacket, at now: Instant) {
        guard flexFEC != nil, packet.header.csrcs == [stream.ssrc ?? 0],
            let (header, _) = bytes.read({ FlexFECHeader.read($0, payload: packet.payload) })
        else { return }
        lastRepairPacket = now
        buffer.repairPacketPatience = Limits.repairPacketPatience
        insert(flexFEC?.receiveRepairPacket(bytes, payload: packet.payload) ?? [], at: now)
        let last = header.baseSequenceNumber &+ UInt16(truncatingIfNeeded: header.offsets.last ?? 0)
        buffer.repairPacketsCome(upTo: last, isRepairPacket: true, at: now)
    }

    private mutating func insert(_ recovered: [[UInt8]], at now: Instant) {
        for bytes in recovered {
            guard let packet = bytes.read({ try? RTPPacket($0) }), parameters.payloadTypes.contains(packet.header.payloadType)
            else { continue }
            let isNew = insert(bytes, packet.payload, packet.header, packet.header.sequenceNumber, now)
            if isNew { statistics.packetsRecovered += 1 }
        }
    }

    /// RFC 4588 § 4: the original's number stands before its payload.
    private mutating func receiveRetransmission(_ bytes: [UInt8], _ packet: RTPPacket, at now: Instant) {
        guard stream.ssrc != nil, let repair = bytes.read({ RetransmissionPayload($0, payload: packet.payload) }) else {
            return
        }
        let isNew = insert(bytes, repair.payload, packet.header, repair.originalSequenceNumber, isAnswer: true, now)
        // What measures a path, and copies of answers, bring nothing back.
        if isNew { statistics.packetsRecovered += 1 }
    }

    /// - Returns: whether the packet was still missing.
    @discardableResult
    private mutating func insert(
        _ bytes: [UInt8], _ payload: Range<Int>, _ header: RTPHeader, _ sequenceNumber: UInt16, isAnswer: Bool = false,
        _ now: Instant
    ) -> Bool {
        let packet = Packet(bytes: bytes, payload: payload, timestamp: header.timestamp, marker: header.marker)
        // Without RFC 4588 an answer looks like any other packet.
        let mayAnswer = isAnswer || parameters.retransmissionPayloadTypes.isEmpty
        let isNew = buffer.receive(packet, sequenceNumber: sequenceNumber, isAnswer: mayAnswer, at: now)
        if bytes.read({ H264Depacketizer.beginsKeyframe($0, payload: payload) }) {
            beginKeyframe(header.timestamp, sequenceNumber)
            if isNew { incoming = (header.timestamp, now) }
        } else if isNew, incoming?.timestamp == header.timestamp {
            incoming?.at = now
        }
        return isNew
    }

    /// What a keyframe does not need is not waited for. Its own slices may have the parameter sets in front of each, as
    /// GStreamer's payloader puts them: the first of them begin it.
    private mutating func beginKeyframe(_ timestamp: UInt32, _ sequenceNumber: UInt16) {
        guard timestamp != keyframeTimestamp else { return }
        let number = buffer.abandon(before: sequenceNumber)
        if number > keyframeBegins { (keyframeBegins, keyframeTimestamp) = (number, timestamp) }
    }

    mutating func requestKeyframe() { keyframeIsWanted = true }

    /// What can't be decoded was, or may have been, the keyframe that came in.
    private mutating func missKeyframe() {
        keyframeIsWanted = true
        incoming = nil
    }

    // MARK: Units

    mutating func advance(to now: Instant) {
        while let output = buffer.nextOutput(at: now) {
            switch output {
            case .packet(let number, let packet): depacketize(packet, number, now)
            case .lost(let range):
                statistics.packetsLost += range.count
                if range.upperBound > keyframeBegins { missKeyframe() }
            case .request(let numbers, let isRepeated):
                guard parameters.takesRequests else { continue }
                statistics.packetsRequested += numbers.count
                requests.append(numbers)
                if !isRepeated { lossRuns.note(numbers) }
                copy(numbers, isRepeated, at: now)
            }
        }
        askAgain(at: now)
    }

    private mutating func copy(_ numbers: [UInt16], _ isRepeated: Bool, at now: Instant) {
        // A network that loses packets in a row does so on the way back as well.
        if parameters.isFromOwnSharer, lossRuns.areBursts {
            volleyDue = volleyDue ?? now + volleyInterval
            return
        }
        let count = Self.requestCopies(isOwn: parameters.isFromOwnSharer, isRepeated: isRepeated)
        let time = buffer.quickestAnswer * Limits.oneRequestPercent / 100
        for copy in 1..<count + 1 where time > Limits.requestCopyTime * copy {
            copies.append((now + Limits.requestCopyTime * copy, numbers))
        }
    }

    /// Within a round trip, as far as is known here: our own sharer takes all for one then. Others may answer each, and are
    /// asked twice only for what they have not sent.
    private static func requestCopies(isOwn: Bool, isRepeated: Bool) -> Int {
        switch (isOwn, isRepeated) {
        case (true, false): Limits.requestCopies
        case (true, true): Limits.copiesOfRepeatedRequest
        case (false, false): 0
        case (false, true): Limits.requestCopiesForOthers
        }
    }

    private mutating func askAgain(at now: Instant) {
        while let index = copies.firstIndex(where: { $0.due <= now }) {
            requests.append(copies.remove(at: index).numbers)
        }
        guard let due = volleyDue, due <= now else { return }
        let numbers = buffer.awaited
        volleyDue = numbers.isEmpty ? nil : now + volleyInterval
        guard !numbers.isEmpty, volleyBudget > 0 else { return }
        volleyBudget -= Limits.requestOverhead + numbers.count * 4
        requests.append(numbers)
    }

    /// The way back may be narrow where it is long.
    private var volleyInterval: Duration {
        max(Limits.volleyInterval, buffer.usualAnswer / Limits.requestsPerAnswer)
    }

    private mutating func depacketize(_ packet: Packet, _ number: Int64, _ now: Instant) {
        packet.bytes.read { span in
            // A malformed payload damages its unit, which the chain then skips.
            try? depacketizer.receive(
                span, payload: packet.payload, sequenceNumber: number, timestamp: packet.timestamp,
                marker: packet.marker)
        }
        while let unit = depacketizer.nextAccessUnit() {
            let time = MediaTime(ticks: timestamps.unwrap(unit.timestamp))
            switch chain.judge(unit) {
            case .decodable:
                addAnsweredSets(to: unit)
                guard let whole = leading.lead(unit) else { continue }
                if whole.isKeyframe { (keyframeIsWanted, incoming) = (false, nil) }
                statistics.units += 1
                units.append(ReceivedUnit(accessUnit: whole, mediaTime: time, receivedAt: now))
            case .skip:
                statistics.unitsSkipped += 1
                if incoming?.timestamp == unit.timestamp { incoming = nil }
                if chain.needsKeyframe, number > keyframeBegins { missKeyframe() }
            }
        }
    }

    /// A keyframe is to have parameter sets in front.
    private mutating func addAnsweredSets(to unit: AccessUnit) {
        guard let sets = answeredSets else { return }
        if unit.nalUnits.contains(where: { unit.type(of: $0) == .sequenceParameterSet }) {
            answeredSets = nil
        } else if unit.isKeyframe {
            _ = leading.lead(sets)
        }
    }

    mutating func nextUnit() -> ReceivedUnit? { units.popFirst() }

    // MARK: Feedback

    /// When something is due without a packet coming.
    var due: Instant? {
        var due = nextReport
        if let deadline = buffer.deadline { due = min(due, deadline) }
        for copy in copies { due = min(due, copy.due) }
        if let volleyDue { due = min(due, volleyDue) }
        if let next = nextKeyframeRequest { due = min(due, next) }
        return due
    }

    /// When the keyframe that is wanted is to be asked for again; nil where none is, or it has not been asked for yet.
    ///
    /// Our own sharer knows which requests it has answered already. Others make a keyframe for each, so that they are left
    /// the time of an answer, and one that comes in is waited for.
    private var nextKeyframeRequest: Instant? {
        guard keyframeIsWanted, let last = lastKeyframeRequest else { return nil }
        let next = last + Limits.keyframeRequestInterval
        if parameters.isFromOwnSharer { return next }
        let answer = min(buffer.usualAnswer * Limits.slowAnswerPercent / 100, Limits.longestRepairTime)
        return max(next, last + answer, (incoming?.at ?? last) + Limits.keyframeRequestInterval)
    }

    /// The next RTCP packet to send: NACK, PLI, or the regular report, in which that of the sound stands as well.
    mutating func nextFeedback(
        at now: Instant, roundTripTime: Duration?, audio: inout AudioReceiver?
    ) -> [UInt8]? {
        if let roundTripTime { buffer.roundTripTime = roundTripTime }
        buffer.longestWait = longestWait
        guard let media = stream.ssrc else { return reportIfDue(&audio, at: now) }
        var bytes: [UInt8] = []
        if let numbers = requests.popFirst() {
            GenericNACK(senderSSRC: parameters.ssrc, mediaSSRC: media, missing: numbers).append(to: &bytes)
            return bytes
        }
        if keyframeIsWanted, nextKeyframeRequest.map({ $0 <= now }) ?? true {
            lastKeyframeRequest = now
            statistics.keyframeRequests += 1
            PictureLossIndication(senderSSRC: parameters.ssrc, mediaSSRC: media).append(to: &bytes)
            return bytes
        }
        return reportIfDue(&audio, at: now)
    }

    /// For what is missing: where nothing is sent again it can only have been overtaken.
    private var longestWait: Duration {
        guard parameters.takesRequests else { return Limits.reorderTime }
        return max(Limits.repairTime, min(buffer.usualAnswer * Limits.repairRounds, Limits.longestRepairTime))
    }

    private mutating func reportIfDue(_ audio: inout AudioReceiver?, at now: Instant) -> [UInt8]? {
        guard now >= nextReport else { return nil }
        nextReport = now + Limits.reportInterval
        return report([audio?.stream.makeReport(at: now)], at: now)
    }

    /// RR and SDES (RFC 3550 § 6.1: a compound packet begins with a report).
    private mutating func report(_ others: [ReportBlock?] = [], at now: Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        let blocks = ([stream.makeReport(at: now)] + others).compactMap(\.self)
        ReceiverReport(ssrc: parameters.ssrc, reports: blocks).append(to: &bytes)
        SourceDescription(ssrc: parameters.ssrc, canonicalName: parameters.canonicalName).append(to: &bytes)
        return bytes
    }

    mutating func goodbye(at now: Instant) -> [UInt8] {
        var bytes = report(at: now)
        Goodbye(ssrcs: [parameters.ssrc]).append(to: &bytes)
        return bytes
    }
}

/// Counters of one incoming stream.
package struct IncomingStatistics: Sendable {
    package var packets = 0
    package var bytes = 0
    package var packetsLost = 0
    package var packetsRequested = 0
    package var packetsRecovered = 0
    package var units = 0
    package var unitsSkipped = 0
    package var keyframeRequests = 0

    package init() {}
}
