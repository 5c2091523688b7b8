import Timebase

/// What the path takes, and what media may use of it, by queue, delivery, trains and loss.
///
///     queue short ──train came as fast as it left──► the path takes at least that
///         │       ──train came slower──────────────► the path takes what came (the middle of the last seven)
///         │       ──neither, and more is wanted────► grow by 8 % of the link a second (`LinkShare`)
///         ▼
///     queue long  ──► the path takes what comes out of the queue; less is sent until it is empty
///         │ it stays, though less is sent: somebody else's
///         ▼
///     a longer queue is tolerated, and nothing grows; forgotten when the queue is gone
///         │ it overflows, or swings though no more of ours is sent: TCP's
///         ▼
///     ours grows as TCP's does, loss decides
package struct RateControl: Sendable {
    /// What the path takes, in bits per second.
    package private(set) var capacity: Int
    /// Of that, what is to be sent now.
    private(set) var target: Int
    private(set) var queueTarget = Limits.queueTarget
    private var maximum: Int
    private var received: [Int] = []
    private var lastObservation: Instant?
    private var nextDecrease = Instant.zero
    private var draining = Draining()
    private var overrun = Overrun()
    private var standingQueue: StandingQueue?
    /// What came out of a queue when it began to stand: that much passes, though less and less is sent.
    private(set) var passed = 0
    private(set) var competition = Competition()
    /// Since when the queue has been short.
    private var shortSince: Instant?
    /// Since when there has been no queue to speak of.
    private var emptySince: Instant?
    private(set) var share = LinkShare()
    /// What was thought before a queue in which there was hardly anything of ours.
    private var undisputed: Int?

    /// - Parameter maximum: what nobody needs to know more of.
    package init(start: Int, maximum: Int) {
        self.maximum = max(Limits.lowestRate, maximum)
        capacity = max(Limits.lowestRate, min(start, self.maximum))
        target = capacity * Limits.usePercent / 100
    }

    /// Nobody needs to know of more than this from now on.
    mutating func setMaximum(_ bitsPerSecond: Int) {
        maximum = max(Limits.lowestRate, bitsPerSecond)
        set(capacity: capacity)
    }

    /// Less and less is sent, and the queue stays.
    var isDraining: Bool { draining.decreases > Self.patience / 2 || isCompeting }

    /// A policer drops what is beyond its rate, or it is being tried whether one does.
    var isPoliced: Bool { share.isPoliced }

    /// Of these, the second.
    var isOnTrial: Bool { share.isOnTrial }

    /// Another flow's queue is tolerated.
    var isCompeting: Bool { competition.since != nil }

    private func tolerated(_ jitter: Duration) -> Duration { max(queueTarget, queueOfFew) + jitter * 2 }

    /// Who has few bytes in a queue does not shorten it by having fewer: it is the others' to yield, or a small share
    /// stays small (TCP Vegas likewise keeps some packets of each flow in the queue).
    var queueOfFew: Duration {
        min(Limits.longestQueueOfFew, .seconds(Double(Limits.fewBytes * 8) / Double(capacity)))
    }

    package mutating func observe(_ seen: Observation) {
        if let since = competition.since, seen.now - since > competition.belief {
            stopCompeting()
            competition.triedAt = seen.now
            competition.belief = min(competition.belief * 2, Limits.longestCompetition)
        }
        let elapsed = min(1, max(0, lastObservation.map { (seen.now - $0).inSeconds } ?? 0))
        lastObservation = seen.now
        if seen.queue > tolerated(seen.jitter) {
            (shortSince, emptySince) = (nil, nil)
            drain(seen)
        } else {
            relax(elapsed, seen)
            learn(seen, elapsed)
        }
        competition.observe(seen.queue)
        if let loss = seen.loss { weigh(loss, seen) }
        switch seen.ecn {
        case .distrust(let fall): regain(fall)
        // Loss and marks at once are answered once.
        case .yield(let factor, let part) where seen.loss == nil: heed(factor, part: part, seen)
        case .yield, nil: break
        }
        setTarget(seen)
    }

    // MARK: A long queue

    private mutating func drain(_ seen: Observation) {
        if isCompeting, queueTarget < Limits.longestQueueTarget {
            tolerate(seen.queue, upTo: Limits.longestQueueTarget)
            return
        }
        // The path stood still for a moment, and is none the narrower: what waited comes out much faster than was thought.
        if let outflow = seen.outflow, outflow >= capacity * Limits.outflowOfStandstill { return }
        // While the queue stands, what comes out is what the path takes; where it is very long, of late above all.
        let isVeryLong = seen.queue > tolerated(seen.jitter) * 2
        let outflows = [isVeryLong ? seen.latestOutflow : nil, seen.outflow, seen.delivered]
        // Of a screen that rests, what comes through says nothing of what might.
        if isBusy(seen), let delivered = seen.delivered { share.noteExcess(delivered, at: seen.now) }
        let isDue = seen.now >= nextDecrease
        let isForeign = isForeign(seen)
        if !isForeign { undisputed = nil }
        // Where less did not help, the queue shows in peace whose it is.
        let isHeld = draining.decreases > Self.patience - 1
            && seen.queue * 100 < draining.queue * Limits.heldQueuePercent
        if !isHeld, isDue || draining.decreases < 2 {
            if isForeign {
                if isDue { giveWay(seen) }
            } else if let outflow = outflows.compactMap(\.self).min() {
                lower(to: outflow, at: seen.now)
            } else if isDue {
                // So little comes that nobody can say how much.
                lower(to: capacity / 2, at: seen.now)
            }
        }
        guard isDue else { return }
        // What is done now shows behind what is in the queue.
        nextDecrease = seen.now + seen.roundTrip + seen.queue + Limits.feedbackInterval
        received.removeAll(keepingCapacity: true)
        let isInVain = seen.queue * 100 > draining.queue * Limits.vainQueuePercent
        draining = Draining(decreases: isInVain ? draining.decreases + 1 : 1, queue: seen.queue)
        judge(seen)
    }

    /// Half of what was ours is enough to try out whose the queue is: one of our own is soon gone at that.
    private mutating func lower(to next: Int, at now: Instant) {
        let least = wasTried(before: now) ? competition.fairShare / 2 : 0
        set(capacity: min(capacity, max(next, least)))
    }

    /// Too little of ours is on its way to make such a queue, at the rate that is known: of a screen at rest, what comes says
    /// nothing of what might.
    private func isForeign(_ seen: Observation) -> Bool {
        let ours = seen.inFlight * 8
        return seen.inFlight <= Limits.fewInFlight && Double(ours) * 4 < Double(capacity) * seen.queue.inSeconds
    }

    /// The link may have become narrower all the same: the next page is begun with less, and with what there was once the
    /// queue is gone.
    private mutating func giveWay(_ seen: Observation) {
        undisputed = undisputed ?? capacity
        set(capacity: min(capacity, max(seen.delivered ?? 0, capacity * Limits.foreignQueuePercent / 100)))
    }

    /// A queue that does not follow what we do is another flow's; unless more of ours comes than was to be sent, as where
    /// sound alone is too much.
    private mutating func judge(_ seen: Observation) {
        if isOwn(seen) { return }
        let timeOfQueue = seen.now - noteStanding(seen).since
        let isForeign = competition.wasThere
            ? draining.decreases > 1 : draining.decreases > Self.patience && timeOfQueue > Limits.ownQueueTime
        guard isForeign, seen.queue > Limits.queueOfOthers || timeOfQueue > Limits.plateauTimeBeside else { return }
        tolerate(seen.queue, upTo: Limits.longestForeignQueue)
        // What we gave up meanwhile, the other has taken.
        let most = (seen.delivered ?? capacity) * Self.regainFactor
        if !isCompeting, wasTried(before: seen.now) {
            // The trial has shown that it is the same one: what was ours is to be again, but not with a blow.
            passed = competition.fairShare
            set(capacity: max(capacity, min(passed, most, capacity * 2)))
        } else {
            set(capacity: max(capacity, min(competition.fairShare, passed, most)))
        }
        if !wasTried(before: seen.now) { competition.belief = Limits.competition }
        competition.begin(seen.queue, at: seen.now)
        draining = Draining()
    }

    /// - Returns: the queue that stands, since now at the latest.
    private mutating func noteStanding(_ seen: Observation) -> StandingQueue {
        var queue = standingQueue ?? StandingQueue(since: seen.now)
        if standingQueue == nil {
            if let outflow = seen.outflow { passed = min(passed, outflow * 2) }
        } else if !queue.isMeasured {
            // By now all that comes has stood in it.
            passed = seen.outflow ?? capacity
            queue.isMeasured = true
        }
        standingQueue = queue
        return queue
    }

    private mutating func isOwn(_ seen: Observation) -> Bool {
        defer { overrun.targetBefore = target }
        guard let delivered = seen.delivered, !isTrickle(delivered),
            delivered * 100 > max(target, overrun.targetBefore) * Limits.ownQueuePercent
        else {
            overrun.since = nil
            return false
        }
        let since = overrun.since ?? seen.now
        overrun.since = since
        return seen.now - since < Limits.excuseOfOwn
    }

    /// What is sent of a screen at least does not fill a path that took many times as much before the queue.
    private func isTrickle(_ delivered: Int) -> Bool {
        delivered < Limits.rateOfTrickle && delivered * Limits.shareOfTrickle < competition.fairShare
    }

    /// It was tried lately whether another flow is there.
    private func wasTried(before now: Instant) -> Bool {
        competition.triedAt.map { now - $0 < Limits.memoryOfTrial } ?? false
    }

    private mutating func tolerate(_ queue: Duration, upTo longest: Duration) {
        let most = max(queueTarget * Limits.moreToleratedPercent / 100, queue * Limits.toleratedQueuePercent / 100)
        queueTarget = max(queueTarget, min(longest, most))
    }

    private static let patience = 3
    /// What comes now may have been given up by so much, and not by more.
    private static let regainFactor = 4

    /// The other flow may have ended, or never have been: an own queue would look alike from then on.
    mutating func stopCompeting() {
        competition.wasThere = isCompeting
        competition.fairShare = capacity
        competition.since = nil
        share.forgetExcess()
        undisputed = nil
        queueTarget = Limits.queueTarget
        (draining, overrun) = (Draining(), Overrun())
        shortSince = nil
    }

    /// The path is another one, which takes nobody knows what.
    mutating func moved(atMost start: Int) {
        set(capacity: min(capacity, start))
        share = LinkShare()
        stopCompeting()
        forgetOthers()
        received.removeAll(keepingCapacity: true)
        (passed, standingQueue, nextDecrease) = (0, nil, .zero)
        target = min(target, max(Limits.lowestRate, capacity * Limits.usePercent / 100))
    }

    /// Nobody else is there any more. What was ours still counts where somebody comes.
    mutating func forgetOthers() {
        let fairShare = competition.fairShare
        competition = Competition()
        competition.fairShare = fairShare
    }

    private mutating func relax(_ elapsed: Double, _ seen: Observation) {
        let since = shortSince ?? seen.now
        shortSince = since
        emptySince = seen.queue < Limits.queueTarget / 3 + seen.jitter ? emptySince ?? seen.now : nil
        if emptySince != nil, let before = undisputed {
            set(capacity: max(capacity, before))
            undisputed = nil
        }
        if let before = share.age(emptySince: emptySince, at: seen.now) { set(capacity: max(capacity, before)) }
        // Others yield as we do: theirs is no queue that nothing helps against.
        if seen.queue < queueTarget, seen.now - since >= Limits.yieldingTime {
            (draining, standingQueue) = (Draining(), nil)
        }
        guard seen.queue < queueTarget / 2 else { return }
        (draining, overrun, standingQueue) = (Draining(), Overrun(), nil)
        // Who yields is slow to come back: its queue may be empty for seconds.
        if !wasTried(before: seen.now) { competition.forget(fairShare: capacity / 2) }
        guard seen.now - since > .seconds(1) else { return }
        // Nobody else fills it any more.
        if seen.queue < Limits.queueTarget / 2, isCompeting { forgetOthers() }
        guard queueTarget > Limits.queueTarget else { return }
        let excess = (queueTarget - Limits.queueTarget).nanoseconds
        queueTarget = Limits.queueTarget + .nanoseconds(Int64(Double(excess) * max(0, 1 - elapsed)))
    }

    private mutating func weigh(_ loss: LossVerdict, _ seen: Observation) {
        switch loss {
        case .less(let factor):
            competition.overflowed()
            yield(factor, seen)
        case .trial(let passed):
            guard let delivered = seen.delivered else { break }
            undisputed = nil
            // A burst of losses may have taken most of the last half second.
            let passing = max(delivered, passed / 2, Limits.leastOfTrial)
            share.beginTrial(passing, before: capacity, until: seen.now + Limits.longestTrial * 2)
            set(capacity: min(capacity, passing * Limits.useOfTrialPercent / 100))
        case .policed(let time): share.trialFound(until: seen.now + time)
        case .inherent: set(capacity: max(capacity, share.trialFailed() ?? 0))
        case .unpoliced: share.forgetPolicer()
        }
    }

    private mutating func yield(_ factor: Double, _ seen: Observation) {
        undisputed = nil
        var next = Int(Double(capacity) * factor)
        // Where the queue overflows, what comes out of it is all that passes.
        if isCompeting, let outflow = seen.outflow { next = min(next, max(outflow, capacity / 2)) }
        if share.isPoliced {
            // What is done now shows when that has come. What passes of a screen that rests says nothing of what might.
            guard seen.now >= nextDecrease else { return }
            nextDecrease = seen.now + seen.roundTrip + Limits.sustainedWindow
            if isBusy(seen), let delivered = seen.delivered {
                next = min(next, max(capacity / 2, delivered * Limits.useOfPolicedPercent / 100))
            }
        }
        set(capacity: next)
        if isCompeting { passed = min(passed, capacity) }
    }

    /// A router marks instead of letting a queue grow.
    private mutating func heed(_ factor: Double, part: Double, _ seen: Observation) {
        undisputed = nil
        share.noteMarks(before: capacity, at: seen.now)
        let used = max(seen.delivered ?? 0, seen.outflow ?? 0, capacity / 2)
        var next = Int(Double(min(capacity, used)) * factor)
        // Of a screen at rest the queue is not: what TCP would have among so many marks is left to it.
        if !isBusy(seen) { next = max(next, min(capacity, rateOfTCP(part, seen.roundTrip + seen.queue))) }
        set(capacity: next)
        share.noteMarks(after: capacity)
        received.removeAll(keepingCapacity: true)
    }

    /// Marks meant nothing: what was given up for them is there.
    private mutating func regain(_ fall: Double) {
        set(capacity: max(capacity, min(share.unmarked ?? 0, Int(Double(capacity) / fall))))
        share.forgetMarks()
    }

    /// Most of what may be sent is.
    private func isBusy(_ seen: Observation) -> Bool {
        seen.delivered.map { $0 * 100 > target * Limits.busyPercent } ?? false
    }

    // MARK: A short queue

    private mutating func learn(_ seen: Observation, _ elapsed: Double) {
        if share.isOnTrial { return }
        let bound = share.bound(capacity)
        // Beside another flow they measure that flow, too.
        for train in seen.trains where seen.queue < Limits.queueTarget * 2 && !isCompeting {
            if train.isUnlimited {
                if let sent = train.sentRate, sent > capacity { set(capacity: min(sent, capacity * 2, bound)) }
            } else {
                received.append(train.receivedRate)
                if received.count > Limits.trainsRemembered { received.removeFirst() }
                followTrains(bound, at: seen.now)
            }
        }
        // What has arrived since the queue is short is there.
        guard let since = shortSince, seen.now - since >= Limits.sustainedWindow else { return }
        // Beside another flow it is what came before we yielded, too.
        if !isCompeting, let delivered = seen.delivered {
            set(capacity: max(capacity, min(delivered, share.markBound(capacity))))
        }
        // Where less is sent than may be, nothing is learnt of more.
        guard isBusy(seen), mayGrow(seen) else { return }
        set(capacity: capacity + Int(growth(seen) * elapsed))
    }

    private mutating func followTrains(_ bound: Int, at now: Instant) {
        // What comes by is known anew.
        undisputed = nil
        let middle = received.sorted()[received.count / 2]
        share.noteTrains(middle, at: now)
        // One train may be wrong by the path's jitter; upwards more, for a queue is soon noticed.
        let weight = received.count < 3 ? 4 : 2
        set(capacity: min(bound, capacity * 2, capacity + (middle - capacity) / weight))
    }

    // MARK: Results

    private mutating func set(capacity next: Int) { capacity = max(Limits.lowestRate, min(maximum, next)) }

    private mutating func setTarget(_ seen: Observation) {
        var share = Double(Limits.usePercent) / 100
        let excess = seen.queue - tolerated(seen.jitter)
        if excess > .zero { share -= min(Limits.mostUnused, excess.inSeconds / Limits.secondsOfExcess) }
        target = max(Limits.lowestRate, Int(Double(capacity) * share))
    }

    /// Nothing came for a while: what was known may be wrong.
    mutating func doubt() {
        set(capacity: capacity / 2)
        target = max(Limits.lowestRate, capacity * Limits.usePercent / 100)
        received.removeAll(keepingCapacity: true)
        passed = 0
        share = LinkShare()
        stopCompeting()
        forgetOthers()
    }
}
