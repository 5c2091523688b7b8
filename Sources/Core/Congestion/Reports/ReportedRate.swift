import Timebase

/// What a path takes, told by peers that give no feedback on single packets: what they ask for, round trips, receiver
/// reports and REMB.
///
/// Loss as GoogCC's first controller has it (draft-ietf-rmcat-gcc-02 § 6), by reports, which may be 5 s apart, and by what
/// is asked for meanwhile. A round trip that has become longer tells of a queue, and so do checks that nobody answers while
/// packets are missed: less is sent than made it, no pictures until most of a long one has gone, and where packets get
/// lost besides, no more than has passed. A receiver's estimate (draft-alvestrand-rmcat-remb-03) follows what comes: of a
/// screen that rests it says no more than that. It binds where more is sent than it names, and it falls, or does not grow.
package struct ReportedRate: Sendable {
    private var rate: Double
    private var maximum: Double
    private var lastReport: Instant?
    private var lastLoss = 0.0
    /// What reports tell of since the last that counted.
    private var covered = (packets: 0.0, lost: 0.0)
    /// What left since the last report, and when that came.
    private var reportable = (bytes: 0, since: Instant?.none)
    /// What passed where it was too much; none yet.
    private var passed = 0.0
    /// By the peer's estimates; infinite while they say nothing against what is sent.
    private var bound = Double.infinity
    /// What was sent when it was too much.
    private var overload = Double.infinity
    private var lastEstimate: (bitsPerSecond: Double, at: Instant)?
    /// Since when more is sent than the peer believes in, and what it believed in then.
    private var excess: (since: Instant, estimate: Double)?
    private var proof = Proof()
    private var start: SlowStart?
    /// A path has turned out to be narrow: pictures leave no faster than it takes them, until its queue is gone.
    package private(set) var isPatient = false
    private var sending = SendingRate()
    private var packetsSent = 0
    private var asked: Asked?
    private var roundTrips = RoundTrips()
    private var toldQueue = ToldQueue()
    /// When a round trip was last measured, or asked for.
    private var roundTripAt = Instant.zero
    private var wantsRoundTrip = false
    private var pictures = Pictures()
    /// When the peer last asked for something new.
    private var missedAt: Instant?

    /// What the peer asks for, since an instant.
    private struct Asked {
        var since: Instant
        /// Packets sent until then.
        var sent: Int
        var missing = 0
        var newest: UInt16
    }

    package init(maximum: Int) {
        self.maximum = Double(max(Limits.lowestRate, maximum))
        rate = self.maximum
    }

    /// By how much the last round trip was longer than the least.
    package var queueDelay: Duration { toldQueue.delay }

    package var target: Int { Int(max(Double(Limits.lowestRate), min(rate, bound))) }

    /// Whether as much was seen to pass of late, or nothing has been too much yet. The rate grows where nothing is sent as well.
    package func isProven(at now: Instant) -> Bool { proof.covers(Double(target), at: now) }

    /// Pictures are about to begin, over a path that may be narrow.
    package mutating func begin(roundTrip: Duration) { start = SlowStart(roundTrip: roundTrip) }

    /// When more may leave, for what is known of the path.
    package func mayLeave(at now: Instant) -> Instant { max(toldQueue.restUntil, start?.mayLeave(at: now) ?? now) }

    /// A packet has left.
    ///
    /// - Parameter isPicture: or part of one; sound is too little to fill a path.
    package mutating func sent(bytes: Int, isPicture: Bool = true, at now: Instant) {
        sending.note(bytes: bytes, at: now)
        if isPicture { pictures.sent(bytes: bytes, at: now) }
        if start?.isOver(at: now) == true { start = nil }
        if isPicture, start?.sent(bytes: bytes, at: now) == true { wantsRoundTrip = true }
        packetsSent += 1
        reportable.bytes += bytes
        weighAsked(at: now)
        guard now - roundTripAt >= Limits.roundTripInterval else { return }
        roundTripAt = now
        wantsRoundTrip = sending.bitsPerSecond(at: now) > Limits.leastForRoundTrip
        if wantsRoundTrip {
            roundTrips.asked(at: now)
            weighUnanswered(at: now)
        }
    }

    /// More, or less, may be used from now on.
    package mutating func setMaximum(_ bitsPerSecond: Int) {
        let isFree = rate >= maximum
        maximum = Double(max(Limits.lowestRate, bitsPerSecond))
        rate = isFree ? maximum : min(rate, maximum)
    }

    /// - Parameters:
    ///   - loss: 0…1, since the last report.
    ///   - packets: that it is of; of few it counts together with that of the next.
    package mutating func reported(loss: Double, of packets: Int, at now: Instant) {
        let passed = takePassed(loss: loss, at: now)
        covered.packets += Double(packets)
        covered.lost += loss * Double(packets)
        guard covered.packets > 0 else { return }
        let loss = covered.lost / covered.packets
        guard loss <= Limits.toleratedLoss || covered.packets >= Double(Limits.packetsOfReport) else { return }
        covered = (0, 0)
        lastLoss = loss
        if loss > Limits.heavyLoss, isQueued, isUsed(at: now), let passed {
            noteNarrow(passed)
            self.passed = passed
            lastReport = now
            return lessen(to: passed * Limits.shareOfPassed, at: now)
        }
        // Of what it tells, most was asked for before, and answered.
        if loss > Limits.toleratedLoss, asked != nil, let lessened = toldQueue.lessened,
            now - lessened.at < Limits.longestReportInterval { return }
        react(to: loss, at: now)
    }

    /// Bits per second of what came since the last report; nil where that was too short a time ago.
    private mutating func takePassed(loss: Double, at now: Instant) -> Double? {
        guard let since = reportable.since else {
            reportable = (0, now)
            return nil
        }
        guard now - since >= Limits.askedInterval else { return nil }
        defer { reportable = (0, now) }
        // Of a time in which nothing was sent there is nothing to learn.
        guard toldQueue.restUntil <= since else { return nil }
        return Double(reportable.bytes) * (1 - min(1, loss)) * 8 / (now - since).inSeconds
    }

    private mutating func react(to loss: Double, at now: Instant) {
        if loss > Limits.heavyLoss {
            lastReport = now
            lessen(to: rate * (1 - 0.5 * min(1, loss)), at: now)
        } else if loss <= Limits.toleratedLoss, !isQueued {
            grow(by: Limits.growthPerSecond, at: now)
        }
    }

    private mutating func grow(by perSecond: Double, at now: Instant) {
        let elapsed = min(2, max(0, lastReport.map { (now - $0).inSeconds } ?? 1))
        lastReport = now
        let known = min(passed * Limits.nearOverload, rate * (1 + Limits.knownGrowthPerSecond * elapsed))
        let growth = isNearQueue(at: now) ? min(perSecond, Limits.growthNearQueue) : perSecond
        rate = min(maximum, max(known, rate * (1 + growth * elapsed)))
        if rate > maximum * Limits.leastForQueues { toldQueue.narrow = nil }
        notePassed(at: now)
    }

    /// What was sent has not been too much.
    private mutating func notePassed(at now: Instant) {
        proof.passed(min(Double(target), sending.bitsPerSecond(at: now)), at: now)
    }

    /// As much made a queue not long ago.
    private func isNearQueue(at now: Instant) -> Bool {
        guard let tooMuch = toldQueue.tooMuch, now - tooMuch.at < Limits.memoryOfQueue else { return false }
        return rate > tooMuch.bitsPerSecond * Limits.nearQueue
    }

    private mutating func lessen(to bitsPerSecond: Double, at now: Instant) {
        rate = max(Double(Limits.lowestRate), min(rate, bitsPerSecond))
        toldQueue.lessened = (now, queue(at: now))
        proof.lessened(to: Double(target), at: now)
    }

    // MARK: What is asked for

    /// The peer misses these packets of its pictures (RFC 4585 § 6.2.1). What it asks for again counts once.
    package mutating func missing(_ numbers: [UInt16], at now: Instant) {
        guard let first = numbers.first, let last = numbers.last else { return }
        guard var asked else {
            // Of how many these are is not known.
            (asked, missedAt) = (Asked(since: now, sent: packetsSent, newest: last), now)
            return
        }
        // After long, what was the newest is too old to compare with.
        if missesNothing(for: Limits.longestReportInterval, at: now) { asked.newest = first &- 1 }
        let new = numbers.count { $0 &- asked.newest < 0x8000 && $0 != asked.newest }
        asked.missing += new
        if new > 0 { missedAt = now }
        if last &- asked.newest < 0x8000 { asked.newest = last }
        self.asked = asked
    }

    private mutating func weighAsked(at now: Instant) {
        guard let asked, now - asked.since >= Limits.askedInterval else { return }
        let packets = packetsSent - asked.sent
        guard packets >= Limits.packetsOfReport else { return }
        self.asked = Asked(since: now, sent: packetsSent, newest: asked.newest)
        // What left before less was sent is still asked for.
        if let lessened = toldQueue.lessened, asked.since - lessened.at < roundTrips.last + Limits.askedLate { return }
        let loss = min(1, Double(asked.missing) / Double(packets))
        // Who waits for what it misses does not ask for all of it; and what measures round trips is lost as well.
        let isMuch = loss > (roundTrips.unanswered > Limits.unansweredOfQueue ? Limits.toleratedLoss : Limits.heavyLoss)
        if isMuch, isUsed(at: now), isQueued || roundTrips.unanswered > Limits.unansweredOfQueue {
            return lessenForQueue(loss: loss, at: now)
        }
        react(to: loss, at: now)
    }

    // MARK: Round trips

    /// What measures a full queue finds no room in it either.
    private mutating func weighUnanswered(at now: Instant) {
        guard roundTrips.unanswered > Limits.unansweredOfQueue, toldQueue.restUntil <= now, isUsed(at: now),
            !missesNothing(for: Limits.askedInterval, at: now)
        else { return }
        if let lessened = toldQueue.lessened, now - lessened.at < Limits.askedInterval { return }
        lessenForQueue(at: now)
    }

    private var isQueued: Bool { queueDelay > Limits.queueOfRoundTrip }

    /// A report's or a connectivity check's.
    package mutating func measured(roundTrip: Duration, at now: Instant) {
        roundTrips.least.note(roundTrip, at: now)
        if isPatient, roundTrip - (roundTrips.least.value ?? .zero) <= Limits.queueOfStart { isPatient = false }
        let passing = start?.measured(roundTrip: roundTrip, at: now)
        if let passing { endStart(passing, at: now) }
        if start?.isBlocked == true { wantsRoundTrip = true }
        // One may have waited for a picture that left before it.
        let misses = !missesNothing(for: Limits.askedInterval * 2, at: now)
        let shorter = misses ? roundTrip : min(roundTrip, roundTrips.last)
        followGrowth(roundTrip, at: now)
        roundTrips.answered(roundTrip)
        roundTripAt = now
        followPlateau(shorter, at: now)
        toldQueue.delay = max(.zero, shorter - (roundTrips.least.value ?? shorter))
        if !isQueued { toldQueue.restUntil = min(toldQueue.restUntil, now) }
        if !isQueued, let since = toldQueue.leavingSince, now - roundTrip >= since { toldQueue.leavingSince = nil }
        if passing == nil, !isQueued, losesNothing(at: now) { grow(by: Limits.growthByRoundTrips, at: now) }
        guard isQueued, isUsed(at: now) else { return }
        // Of what was sent less nothing is to be seen yet, unless the queue has grown as if it weren't.
        if let lessened = toldQueue.lessened, now - lessened.at < roundTrip + Limits.askedInterval,
            queueDelay - lessened.delay < Limits.queueOfRoundTrip { return }
        lessenForQueue(at: now)
    }

    private mutating func followGrowth(_ roundTrip: Duration, at now: Instant) {
        let leftAt = now - roundTrip
        defer { roundTrips.before = (roundTrip, leftAt) }
        guard let before = roundTrips.before, leftAt - before.leftAt >= Limits.leastForGrowth else {
            return roundTrips.growth = 0
        }
        roundTrips.growth = (roundTrip - before.took) / (leftAt - before.leftAt)
    }

    private mutating func endStart(_ bitsPerSecond: Double, at now: Instant) {
        start = nil
        isPatient = true
        (passed, lastReport) = (bitsPerSecond, now)
        lessen(to: bitsPerSecond * Limits.lessForQueue, at: now)
    }

    /// Beside others that fill the queue we keep some part; where that alone is too much, half of what passes.
    private var least: Double {
        min(maximum * Limits.leastForQueues, (toldQueue.narrow ?? .infinity) * Limits.leastOfNarrow)
    }

    /// So much passed when much was lost in a queue.
    private mutating func noteNarrow(_ passed: Double) {
        if rate <= maximum * Limits.leastForQueues { toldQueue.narrow = passed }
    }

    /// - Parameter loss: the share for which there is no room in it.
    private mutating func lessenForQueue(loss: Double = 0, at now: Instant) {
        let sent = min(rate, sending.bitsPerSecond(at: now))
        if loss > Limits.heavyLoss { noteNarrow(sent * (1 - loss)) }
        guard rate > least else { return }
        passed = loss > 0 ? sent * (1 - loss) : min(passed, sent)
        // What is sent while the queue goes is less than passes.
        if toldQueue.lessened.map({ now - $0.at > Limits.timeOfQueue }) ?? true { toldQueue.tooMuch = (sent, now) }
        // A queue that overflows is one before a path that takes far less.
        let isFull = !missesNothing(for: Limits.askedInterval * 2, at: now)
        // What a long queue holds must leave as well.
        let passing = min(1 - loss, 1 / (1 + max(0, roundTrips.growth)))
        let queue = queue(at: now)
        if queue > Limits.queueOfPause {
            toldQueue.restUntil = now + min(Limits.longestPause, queue - Limits.queueOfRoundTrip)
        }
        let rest = max(Limits.leastForLongQueue, passing * (1 - queue / Limits.timeOfLongQueue))
        let less = sent * min(isFull ? Limits.lessForFullQueue : Limits.lessForQueue, rest)
        lessen(to: max(least, less), at: now)
        if queue > Limits.queueOfPause || loss > 0 { toldQueue.leavingSince = now }
    }

    /// Whether a queue has just been found to be too long, and may be full by now.
    package func leavesQueue(at now: Instant) -> Bool {
        toldQueue.leavingSince.map { now - $0 < Limits.timeOfLongQueue } ?? false
    }

    /// How long the queue is by now: what measures it waits in it, or is lost before it.
    package func queue(at now: Instant) -> Duration {
        // It has gone on growing since that left which measured it.
        let grown = isQueued ? queueDelay + roundTrips.last * min(1, max(0, roundTrips.growth)) : queueDelay
        guard let pictureLeftAt = pictures.leftAt else { return grown }
        var queue = grown
        // One check alone may have been lost.
        if roundTrips.unanswered > 1, let since = roundTrips.unansweredSince {
            queue = max(queue, pictureLeftAt - since - (roundTrips.least.value ?? roundTrips.last))
        }
        return max(.zero, queue - (now - pictureLeftAt))
    }

    /// Where we send little, a queue is another's; a long one follows from any pictures that leave all the time.
    private mutating func isUsed(at now: Instant) -> Bool {
        let isSteady = pictures.leaveSteadily(at: now)
        return sending.bitsPerSecond(at: now) > rate / 2 || queueDelay > Limits.queueOfPause && isSteady
    }

    private func missesNothing(for time: Duration, at now: Instant) -> Bool {
        missedAt.map { now - $0 >= time } ?? true
    }

    private func losesNothing(at now: Instant) -> Bool {
        lastLoss <= Limits.toleratedLoss && missesNothing(for: Limits.askedInterval * 4, at: now)
    }

    /// What stays as long though less and less is sent, and loses nothing, is no queue: the path has become longer.
    private mutating func followPlateau(_ roundTrip: Duration, at now: Instant) {
        guard let begun = toldQueue.plateau, (roundTrip - begun.roundTrip).magnitude < Limits.widthOfRoundTrips else {
            toldQueue.plateau = isQueued ? (roundTrip, rate, now) : nil
            return
        }
        let patience = asked == nil ? Limits.longestReportInterval : Limits.plateauOfRoundTrips
        let isLess = rate < begun.rate * Limits.fallOfPlateau || rate <= least
        guard losesNothing(at: now), now - begun.since > patience, isLess else { return }
        roundTrips.least.restart(with: min(begun.roundTrip, roundTrip))
        passed = max(passed, begun.rate)
        (toldQueue.plateau, toldQueue.tooMuch) = (nil, nil)
    }

    /// Whether a round trip is to be measured; once.
    package mutating func takeRoundTripWish(at now: Instant) -> Bool {
        guard wantsRoundTrip else { return false }
        wantsRoundTrip = false
        start?.asks(at: now)
        return true
    }

    /// Packets take another path from now on. Of what the peer's estimates said only the last stays: they grow slowly
    /// there too, and one that does is no bound.
    package mutating func moved() {
        (roundTrips, toldQueue) = (RoundTrips(), ToldQueue())
        (passed, missedAt) = (0, nil)
        (start, isPatient, proof) = (nil, false, Proof())
        (asked, lastLoss) = (nil, 0)
        covered = (0, 0)
        reportable = (0, nil)
        bound = .infinity
        overload = .infinity
        excess = nil
    }

    // MARK: Estimates

    /// REMB.
    package mutating func estimated(bitsPerSecond: UInt64, at now: Instant) {
        let estimate = max(Double(Limits.lowestRate), Double(min(bitsPerSecond, UInt64(Limits.highestRate))))
        let last = lastEstimate
        lastEstimate = (estimate, now)
        let sent = sending.bitsPerSecond(at: now)
        guard sent > estimate * Limits.excessOverEstimate else {
            excess = nil
            notePassed(at: now)
            return raiseBound(to: estimate, for: last.map { now - $0.at } ?? .zero)
        }
        let began = excess ?? (now, estimate)
        excess = began
        let falls = last.map { estimate < $0.bitsPerSecond * Limits.fallOfEstimate } ?? true
        let stays = now - began.since >= Limits.patienceWithEstimate && estimate <= began.estimate * Limits.growthOfEstimate
        guard falls || stays else { return }
        bound = estimate
        // GoogCC's is 85 % of what came.
        overload = min(sent, estimate * Limits.overloadOfEstimate)
        proof.lessened(to: Double(target), at: now)
    }

    /// All that is sent passes.
    private mutating func raiseBound(to estimate: Double, for elapsed: Duration) {
        guard bound.isFinite else { return }
        let isNear = bound > overload * Limits.nearOverload
        let growth = isNear ? Limits.growthPerSecond : Limits.knownGrowthPerSecond
        bound = max(bound * (1 + growth * min(1, elapsed.inSeconds)), min(estimate, overload * Limits.nearOverload))
        if bound > maximum { bound = .infinity }
    }
}
