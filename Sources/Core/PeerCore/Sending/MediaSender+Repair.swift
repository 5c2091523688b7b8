import Congestion
import DequeModule
import RTP
import Timebase

/// What a viewer is sent again: packets it misses, repair packets made of several, and what measures a path.
extension MediaSender {
    /// A packet that is sent again, and its number.
    struct Repair {
        var packet: RetransmissionHistory.Packet
        var number: UInt16
        /// Nobody misses it.
        var isProbe = false
    }

    /// A packet that is sent again once more, and when.
    struct Copy {
        var repair: Repair
        var due: Instant
    }

    /// A large packet, and its number: what probes repeat.
    struct Large {
        var packet: RetransmissionHistory.Packet
        var number: Int64
    }

    /// The number of a packet that may be missing, and since when it is owed.
    struct Owed {
        enum Cause {
            /// It was asked for, and there was no room for it, or it went into a queue that may have had none.
            case noRoom
            /// It was sent again, and that may be lost as well.
            case answered
            /// It is one of many of which some are lost, and nobody asked for those.
            case guess
        }

        var number: UInt16
        var since: Instant
        var cause: Cause
    }

    /// Retransmits what the viewer misses (RFC 4585 § 6.2.1, RFC 4588), within the budget.
    ///
    /// - Parameter checkRoundTrip: that of connectivity checks, until reports tell theirs.
    mutating func repair(_ missing: [UInt16], _ path: PathControl, checkRoundTrip: Duration?, at now: Instant) {
        statistics.packetsReportedMissing += missing.count
        if isLeaping || missing.isEmpty { return }
        // It names all that is missed.
        if !owed.isEmpty { owed.removeAll { $0.cause == .guess } }
        resend(missing, path, roundTrip(checked: checkRoundTrip), at: now)
    }

    /// Retransmits what feedback says to be lost, before it is asked for: the request may be lost as well, and browsers
    /// that only watch take every round trip for 100 ms. A viewer that takes repair packets knows better what it needs.
    mutating func repair(lost: [Int64], _ path: PathControl, checkRoundTrip: Duration?, at now: Instant) {
        guard parameters.flexFEC == nil, parameters.retransmission != nil else { return }
        let way = roundTrip(checked: checkRoundTrip)
        let missing = history.missing(Set(lost), isLost: { path.isLost($0) }, since: now - way - Limits.timeOfUnasked)
        if !missing.isEmpty { resend(missing, path, way, at: now) }
    }

    /// What the viewer asks for and there is no room for is noted. Those that take repair packets ask again by themselves.
    var owesRepairs: Bool { parameters.flexFEC == nil }

    /// Nothing of what waits to be sent again is. Who takes repair packets shows what comes behind a gap, and needs nothing
    /// of it any more; others may ask for it again.
    mutating func withdrawRepairs() {
        if owesRepairs {
            for repair in repairs where !repair.isProbe { history.withdraw(repair.number) }
        }
        repairs.removeAll()
    }

    /// What reports tell, else what connectivity checks do.
    private func roundTrip(checked checkRoundTrip: Duration?) -> Duration {
        statistics.roundTripTime ?? checkRoundTrip ?? Limits.assumedRoundTrip
    }

    /// - Parameter way: a round trip.
    private mutating func resend(_ missing: [UInt16], _ path: PathControl, _ way: Duration, at now: Instant) {
        guard parameters.retransmission != nil else { return }
        // What waits in a queue is neither lost nor to be made longer.
        let isQueued = path.queueBeforeRepairs(at: now) > .zero
        if waits(missing, path, at: now) { return owe(missing[...], .noRoom, at: now) }
        let pause = pauseOfAnswers(path, way, at: now)
        let isLossy = toldLoss(path)
        let isBursty = isLossy && lossRuns.areBursts
        // Where a second round takes long and is likely, both are sent at once; without repair packets it is likely sooner.
        let lossOfDoubling = parameters.flexFEC == nil ? Limits.lossOfFlexFEC : Limits.lossOfDoubling
        let isDoubled = isBursty && way >= Limits.roundTripOfCopies
            || path.lasting(loss: lossOfDoubling) && way >= Limits.roundTripOfDoubling
        let late = way + path.queueDelay + Limits.lateRequest
        var wanted: [(repair: Repair, count: Int)] = []
        var askedFirst: [UInt16] = []
        // Not the path's method by name, which would carry a copy of all that the path knows.
        answers: for (index, number) in missing.enumerated() {
            let answer = history.resend(number, at: now, pause: pause, isLost: { path.isLost($0) }) { repairBudget.spend($0) }
            switch answer {
            case .resend(let packet, let since, let age):
                let repair = Repair(packet: packet, number: number)
                repairs.append(repair)
                if !owed.isEmpty { owed.removeAll { $0.number == number } }
                if since == nil { askedFirst.append(number) }
                wanted.append((repair, copies(since, way, isLate: isLossy && age >= late) ?? (isDoubled ? 1 : 0)))
            case .unknown, .tooSoon: continue
            // There is no room for copies either.
            case .refused:
                owe(missing[index...], .noRoom, at: now)
                wanted = []
                break answers
            }
        }
        if path.goesByReports { owe(wanted.map(\.repair.number)[...], isQueued ? .noRoom : .answered, at: now) }
        lossRuns.note(askedFirst)
        // So many in a row fill the link with their copies, and what follows them waits.
        let bytes = wanted.reduce(0) { $0 + ($1.count > 0 ? $1.repair.packet.payload.count : 0) }
        let room = max(Limits.leastCopied, Int(Double(path.target) / 8 * Limits.copyDistance.inSeconds))
        if isQueued || isBursty && bytes > room { return }
        sendCopies(wanted, distance: isBursty ? Limits.copyDistance : .zero, at: now)
    }

    /// Whether what is asked for waits: what was lost for want of room in a queue would find none either.
    private mutating func waits(_ asked: [UInt16], _ path: PathControl, at now: Instant) -> Bool {
        guard parameters.flexFEC == nil, path.goesByReports else { return false }
        let isMuch = asked.count > Limits.answeredIntoQueue && path.queueBeforeRepairs(at: now) > .zero
        return isMuch || path.mayBeFull(at: now)
    }

    /// Some viewers ask once (aiortc, until it misses something else) and show nothing behind a hole for 512 packets, and
    /// what only reports come of may be lost again unnoticed, with the rest of a burst or in a queue that has no room: it is
    /// sent once more behind that. Those that take repair packets ask again.
    mutating func owe(_ missing: ArraySlice<UInt16>, _ cause: Owed.Cause, at now: Instant) {
        guard owesRepairs, !missing.isEmpty else { return }
        let known = Dictionary(owed.map { ($0.number, $0.since) }, uniquingKeysWith: min)
        let new = Set(missing.suffix(Limits.packetsOwed))
        owed.removeAll { new.contains($0.number) }
        owed.append(contentsOf: new.sorted { $0 &- missing[missing.startIndex] < $1 &- missing[missing.startIndex] }
            .map { Owed(number: $0, since: known[$0] ?? now, cause: cause) })
        owed.removeFirst(max(0, owed.count - Limits.packetsOwed))
        // A request for some of those may be on its way.
        owedDue = cause == .guess ? now + Limits.owedPause : now
    }

    /// Some of the budget has come back: one packet, and none into the queue that it was lost in.
    mutating func payOwed(_ path: PathControl, behindPictures: Bool = false, at now: Instant) {
        guard owedDue <= now || behindPictures && owedDue == .distantFuture, let first = owed.first else { return }
        owedDue = now + Limits.owedPause
        if path.mayBeFull(at: now) { fullAt = now }
        if path.queueBeforeRepairs(at: now) > .zero, now - first.since < Limits.longestOwed { return }
        let pause = max(Limits.leastPauseOfOwed, min(statistics.roundTripTime ?? Limits.roundTripOfOwed, Limits.longestOwed))
        for _ in 0..<owed.count {
            let next = owed.removeFirst()
            if isRepeatedLate(next) {
                if next.cause == .noRoom, weighLate(next, at: now) { owed.append(next) }
                continue
            }
            let answer = history.resend(next.number, at: now, pause: pause, isLost: { path.isLost($0) }) {
                repairBudget.spend($0, isGuess: next.cause == .guess)
            }
            switch answer {
            case .unknown: continue
            case .tooSoon: owed.append(next)
            // More of it comes with pictures only.
            case .refused:
                owedDue = behindPictures ? now : .distantFuture
                return owed.prepend(next)
            case .resend(let packet, _, _):
                owedDue = behindPictures ? now : now + Limits.owedInterval
                return repairs.append(Repair(packet: packet, number: next.number))
            }
        }
    }

    /// Where it went into a queue that turned out to have no room, and a report tells that packets got lost, nobody knows
    /// what has come. Who only asks could have keyframes made by asking.
    ///
    /// - Returns: whether a report is waited for.
    private mutating func weighLate(_ owed: Owed, at now: Instant) -> Bool {
        guard let fullAt, fullAt >= owed.since else { return false }
        if let toldLossAt, toldLossAt >= owed.since { isHopeless = true }
        return !isHopeless && now - owed.since < Limits.longestOwed
    }

    /// What may have come already would be a second one, long after it: some viewers (aiortc) take that for a new stream,
    /// and show nothing for 512 packets.
    private func isRepeatedLate(_ owed: Owed) -> Bool {
        let behind = UInt16(truncatingIfNeeded: sequenceNumber) &- owed.number
        return behind > Limits.packetsOfRepetition && (owed.cause == .guess || history.wasSentAgain(owed.number))
    }

    /// How long a packet is not sent again, as long as nobody knows what became of it.
    private func pauseOfAnswers(_ path: PathControl, _ way: Duration, at now: Instant) -> Duration {
        // Short of a whole round trip, which is never known to the millisecond, by what copies of a request are apart:
        // who asks again waited for the first.
        // Round trips of reports have the queue in them already: what is sent twice into one that overflows is lost twice.
        let queue = path.queueBeforeRepairs(at: now)
        if path.goesByReports, queue > .zero { return way + queue * Limits.grownQueuePercent / 100 }
        let least = max(way * Limits.oneRequestPercent / 100, way - Limits.requestCopyTime * 3) + queue
        guard parameters.flexFEC != nil, lossRuns.areBursts else { return least }
        // There a viewer of our kind asks until answers come, and reports of them are some time apart.
        let longest = max(way * Limits.longestAnswerPercent / 100, way + Limits.lossyFeedbackInterval)
        return max(least, min((path.feedbackDelay ?? .zero) * Limits.slowAnswerPercent / 100, longest))
    }

    /// How many copies go along where one more round would be seen as a freeze; nil where none would.
    ///
    /// - Parameters:
    ///   - since: it was sent again before.
    ///   - isLate: it is asked for late: the last packets of a picture, for one, whose loss only the next picture showed.
    private func copies(_ since: Duration?, _ way: Duration, isLate: Bool) -> Int? {
        // Where packets leave one by one all are late, and a copy takes long.
        guard let since else { return isLate && pacingRate >= Limits.paceOfCopies ? 1 : nil }
        // What comes early may be asked for by mistake.
        return since >= way * 15 / 16 ? Limits.copiesOfRepeated : nil
    }

    /// Who asks late, or for many in a row, must have told of losses as well: else one could have everything sent twice by
    /// asking.
    private func toldLoss(_ path: PathControl) -> Bool {
        statistics.lossFraction > Limits.lossOfFlexFEC || path.ambient(loss: Limits.lossOfFlexFEC)
    }

    /// Of what the budget has left once everything was sent again. Where packets get lost in a row, copies side by side
    /// would be lost together.
    private mutating func sendCopies(
        _ wanted: [(repair: Repair, count: Int)], distance: Duration, at now: Instant
    ) {
        for round in 0..<Limits.copiesOfRepeated {
            for (repair, count) in wanted where count > round && repairBudget.spend(repair.packet.payload.count) {
                if distance == .zero {
                    repairs.append(repair)
                } else {
                    add(Copy(repair: repair, due: now + distance * (round + 1)))
                }
            }
        }
    }

    /// In the order in which they leave.
    private mutating func add(_ copy: Copy) {
        copies.insert(copy, at: (copies.lastIndex { $0.due <= copy.due } ?? -1) + 1)
    }

    mutating func nextRepair(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        guard let retransmission = parameters.retransmission, let repair = repairs.popFirst() else { return nil }
        let payload = repair.packet.payload
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + Limits.packetOverhead)
        RTPHeader(
            marker: repair.packet.isMarked, payloadType: retransmission.payloadType,
            sequenceNumber: repairSequenceNumber,
            timestamp: stream.timestamp(repair.packet.unit.mediaTime.ticks), ssrc: retransmission.ssrc
        ).append(to: &bytes, extensions: extensions(of: repair, &path, at: now), map: parameters.extensions)
        history.left(repair.number, as: path.number, at: now)
        RetransmissionPayload.append(originalSequenceNumber: repair.number, payload: payload, to: &bytes)
        repairSequenceNumber &+= 1
        if !repair.isProbe {
            statistics.retransmissions += 1
            statistics.bytesRepaired += bytes.count
        }
        return bytes
    }

    /// What stood in the original (RFC 4588 § 4), as far as a receiver may know it from that alone: how pictures are to be
    /// shown, it asks a picture's first packet.
    private func extensions(of repair: Repair, _ path: inout PathControl, at now: Instant) -> HeaderExtensions {
        var extensions = sideExtensions(&path, at: now)
        if repair.packet.unit.isKeyframe {
            extensions.playoutDelay = playoutDelay
            extensions.videoContentType = .screen
        }
        return extensions
    }

    /// What every packet beside the pictures carries.
    private func sideExtensions(_ path: inout PathControl, at now: Instant) -> HeaderExtensions {
        var extensions = stream.extensions
        stream.number(&extensions, &path, at: now)
        return extensions
    }

    mutating func nextFlexFEC(_ path: inout PathControl, at now: Instant) -> [UInt8]? {
        guard let last = stream.last, flexFEC?.isWaiting == true else { return nil }
        let extensions = sideExtensions(&path, at: now)
        let bytes = flexFEC?.nextPacket(timestamp: stream.timestamp(last.ticks), extensions, parameters.extensions)
        statistics.bytesRepaired += bytes?.count ?? 0
        return bytes
    }

    // MARK: Probes

    /// While nothing passes, the last packet goes out again and again, so that the path's return is noticed (RFC 9002
    /// § 6.2.4).
    func probesSilence(_ path: PathControl) -> Bool {
        path.isSilent && parameters.retransmission != nil && history.newest != nil
    }

    /// What a probe of an idle path sends: a large packet once more, which a viewer drops.
    var probe: Repair? {
        guard parameters.retransmission != nil, let lastLarge, sequenceNumber - lastLarge.number < Limits.probeAge else {
            return nil
        }
        return Repair(
            packet: lastLarge.packet, number: UInt16(truncatingIfNeeded: lastLarge.number), isProbe: true)
    }

    mutating func appendProbe(_ path: inout PathControl, at now: Instant) {
        if path.isSilent, let newest = history.newest {
            let number = UInt16(truncatingIfNeeded: sequenceNumber - 1)
            repairs.append(Repair(packet: newest, number: number, isProbe: true))
        } else if let probe {
            path.probeSent(at: now)
            repairs.append(probe)
        }
    }

    mutating func note(_ unit: PacketizedUnit, _ index: Int, _ path: inout PathControl, at now: Instant) {
        path.mediaSent(packets: unit.payloads.count, at: now)
        guard unit.payloads[index].count >= Congestion.Limits.probeBytes else { return }
        lastLarge = Large(
            packet: RetransmissionHistory.Packet(unit: unit, payloadIndex: index), number: sequenceNumber)
    }
}

extension PathControl {
    /// How long packets are kept to be sent again. Where a round trip takes long, nothing is asked for before it is over.
    var historyAge: Duration {
        if goesByReports { return RTP.Limits.historyAge }
        let rounds = min((feedbackDelay ?? .zero) * 2, RTP.Limits.historyAge * 2)
        return max(RTP.Limits.historyAgeOfFeedback, rounds)
    }
}
