import Congestion
import RTP
import Timebase

/// What is missed, and sent again.
extension RepairSender {
    /// Answers a request (RFC 4585 § 6.2.1), within the budget.
    ///
    /// - Parameters:
    ///   - checkRoundTrip: that of connectivity checks, until reports tell theirs.
    ///   - pace: how fast pictures leave, in bits per second.
    mutating func answer(
        _ missing: [UInt16], _ path: PathControl, checkRoundTrip: Duration?, pace: Int, at now: Instant
    ) {
        // It names all that is missed.
        if !owed.isEmpty { owed.removeAll { $0.cause == .guess } }
        resend(missing, path, roundTrip(checked: checkRoundTrip), pace, at: now)
    }

    /// Sends again what feedback says to be lost, before it is asked for: the request may be lost as well, and browsers
    /// that only watch take every round trip for 100 ms. A viewer that takes repair packets knows better what it needs.
    mutating func answer(
        lost: [Int64], _ path: PathControl, checkRoundTrip: Duration?, pace: Int, at now: Instant
    ) {
        guard parameters.flexFEC == nil, parameters.retransmission != nil else { return }
        let way = roundTrip(checked: checkRoundTrip)
        let missing = history.missing(Set(lost), isLost: { path.isLost($0) }, since: now - way - Limits.timeOfUnasked)
        if !missing.isEmpty { resend(missing, path, way, pace, at: now) }
    }

    /// What reports tell, else what connectivity checks do.
    private func roundTrip(checked checkRoundTrip: Duration?) -> Duration {
        roundTripTime ?? checkRoundTrip ?? Limits.assumedRoundTrip
    }

    /// - Parameter way: a round trip.
    private mutating func resend(
        _ missing: [UInt16], _ path: PathControl, _ way: Duration, _ pace: Int, at now: Instant
    ) {
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
            let answer = history.resend(number, at: now, pause: pause, isLost: { path.isLost($0) }) { budget.spend($0) }
            switch answer {
            case .resend(let packet, let since, let age):
                let repair = Repair(packet: packet, number: number)
                waiting.append(repair)
                if !owed.isEmpty { owed.removeAll { $0.number == number } }
                if since == nil { askedFirst.append(number) }
                wanted.append((repair, copies(since, way, pace, isLate: isLossy && age >= late) ?? (isDoubled ? 1 : 0)))
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
        if isQueued || isBursty && fillsLink(wanted, path) { return }
        sendCopies(wanted, distance: isBursty ? Limits.copyDistance : .zero, at: now)
    }

    /// So many in a row fill the link with their copies, and what follows them waits.
    private func fillsLink(_ wanted: [(repair: Repair, count: Int)], _ path: PathControl) -> Bool {
        let bytes = wanted.reduce(0) { $0 + ($1.count > 0 ? $1.repair.packet.payload.count : 0) }
        return bytes > max(Limits.leastCopied, Int(Double(path.target) / 8 * Limits.copyDistance.inSeconds))
    }

    /// Whether what is asked for waits: what was lost for want of room in a queue would find none either.
    private mutating func waits(_ asked: [UInt16], _ path: PathControl, at now: Instant) -> Bool {
        guard parameters.flexFEC == nil, path.goesByReports else { return false }
        let isMuch = asked.count > Limits.answeredIntoQueue && path.queueBeforeRepairs(at: now) > .zero
        return isMuch || path.mayBeFull(at: now)
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
    private func copies(_ since: Duration?, _ way: Duration, _ pace: Int, isLate: Bool) -> Int? {
        // Where packets leave one by one all are late, and a copy takes long.
        guard let since else { return isLate && pace >= Limits.paceOfCopies ? 1 : nil }
        // What comes early may be asked for by mistake.
        return since >= way * 15 / 16 ? Limits.copiesOfRepeated : nil
    }

    /// Who asks late, or for many in a row, must have told of losses as well: else one could have everything sent twice by
    /// asking.
    private func toldLoss(_ path: PathControl) -> Bool {
        lossFraction > Limits.lossOfFlexFEC || path.ambient(loss: Limits.lossOfFlexFEC)
    }

    /// Of what the budget has left once everything was sent again. Where packets get lost in a row, copies side by side
    /// would be lost together.
    private mutating func sendCopies(
        _ wanted: [(repair: Repair, count: Int)], distance: Duration, at now: Instant
    ) {
        for round in 0..<Limits.copiesOfRepeated {
            for (repair, count) in wanted where count > round && budget.spend(repair.packet.payload.count) {
                if distance == .zero {
                    waiting.append(repair)
                } else {
                    add(Copy(repair: repair, due: now + distance * (round + 1)))
                }
            }
        }
    }

    /// In the order in which they leave.
    mutating func add(_ copy: Copy) {
        copies.insert(copy, at: (copies.lastIndex { $0.due <= copy.due } ?? -1) + 1)
    }
}
