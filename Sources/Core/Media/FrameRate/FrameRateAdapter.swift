import Timebase

/// Turns irregular changes into frames at a steady rate.
///
///     rest ──changed──► encode at once ──► run: changed ──► (slot) encode ──► … ──► three periods without a change
///      ▲ │ 1 s                 │ not sharp                                                     │
///      │ └──► keepalive        └──► (slot) encode again ──► … ──► sharp, or a change           │
///      └───────────────────────────────────────┴───────────────────────────────────────────────┘
///
/// Within a run frames leave in slots a period apart, the newest picture of each; a change that comes where a slot is
/// due leaves at once, and what waits for that slot with it. After a rest, or behind a mere repetition, a change leaves at
/// once too and starts a new run, whose slots take their phase from it. Media times are those of `FrameGrid`: true to the
/// clock, a period apart within a run, and never drifting.
package struct FrameRateAdapter: Sendable {
    private enum Work {
        case new, again, catchUp, keepalive
    }

    private var grid: FrameGrid
    /// As it was before a pass: where that finds no bits, it uses up no slot.
    private var gridBefore: FrameGrid?
    /// When a pass found none, and nothing has left since.
    private var fruitlessAt: Instant?
    private var follower: PhaseFollower
    private var detector = CadenceDetector()
    /// The rate of frames where nothing plays that has its own.
    private var ownRate: FrameRate
    private var pace: FramePace
    private var refinement = RefinementPolicy()
    /// The first change since the last picture was read, and the last picture of what plays among them.
    private var changedAt: Instant?
    private var pictureAt: Instant?
    /// When the same was last seen painted once more.
    private var repaintedAt: Instant?
    /// The last change that was told behind the first.
    private var changedAgainAt: Instant?
    /// The change that waits could not be read before.
    package private(set) var retries = false
    /// Frames of changes in the present run; 0 where something else was sent since.
    private var runLength = 0
    private var lastChangedFrame: Instant?
    /// Nothing had changed for a while when the last change came.
    private var followsRest = true
    private var lastUnit: Instant?
    /// The last unit that the encoder had bits for.
    private var lastSent: Instant?
    /// A keyframe was sent and nothing since.
    private var echoesKeyframe = false
    /// As it was before the last decision: a picture that shows nothing new leaves it so.
    private var before: (unit: Instant?, changedFrame: Instant?, echoesKeyframe: Bool) = (nil, nil, false)
    /// What changed last showed the same as before.
    private var isRepeating = false
    package private(set) var drops: [DropReason: Int] = [:]
    /// Slower viewers lack what the others have.
    package var owesSlower = false

    /// - Parameter start: media time zero.
    package init(rate: FrameRate, pace: FramePace = .fixed, start: Instant) {
        ownRate = rate
        self.pace = pace
        grid = FrameGrid(rate: rate, start: start)
        follower = PhaseFollower(period: rate.period)
    }

    /// A change waits for its slot. Whatever changes meanwhile is read with it.
    private var hasChange: Bool { changedAt != nil }

    /// Passes over still pictures so far.
    package var refinementPasses: Int { refinement.totalPasses }

    /// The source has something new. Cheap to repeat.
    package mutating func changed(at now: Instant) {
        if changedAt == nil {
            changedAt = now
        } else {
            drops[.superseded, default: 0] += 1
        }
    }

    /// Whatever there is is new to who comes, and nothing is dropped for it.
    package mutating func changedUnwatched(at instant: Instant) {
        changedAt = max(changedAt ?? instant, instant)
        retries = false
    }

    /// The change of the last decision could not be read. It is tried again, behind what is due of the picture before.
    package mutating func couldNotRead(at now: Instant) {
        changedAt = now
        retries = true
    }

    /// What the source is looked after for, until the next frame is due.
    package enum Attention: Sendable {
        /// No change waits: the next one is waited for.
        case change
        /// A change waits for its slot. From `moreFrom` on, what changes behind it should be told as well; nil where that
        /// need not be.
        case slot(moreFrom: Instant?)
        /// A change waits for its slot, and each that comes meanwhile is looked at.
        case lookAtEach
        /// A change is looked at before it counts.
        case lookFirst
    }

    /// Holds while there is nothing to encode.
    package var attention: Attention {
        if looksFirst { return .lookFirst }
        guard hasChange else { return .change }
        return wantsLooks ? .lookAtEach : .slot(moreFrom: expectsMoreFrom)
    }

    /// From when on something that changes behind a change is what its slot waits for; nil where it need not be told.
    private var expectsMoreFrom: Instant? {
        guard pace == .fixed, let changedAt, continuesRun(changedAt) else { return nil }
        return grid.nextSlot - MediaLimits.slotLead
    }

    /// Something changed behind a change that waits for its slot, and leaves with it at once where that is due.
    package mutating func changedAgain(at now: Instant) {
        changedAgainAt = now
        drops[.superseded, default: 0] += 1
    }

    /// What plays, where that has a rate of its own.
    package var cadence: Cadence? { detector.cadence }

    /// The rate that frames leave at.
    package var frameRate: FrameRate { grid.rate }

    /// A change is to be looked at before it counts: what shows the same once more is not sent.
    package var looksFirst: Bool { pace != .fixed && runLength > 0 }

    /// A change was looked at that `looksFirst` kept back.
    ///
    /// - Parameter drawnAt: when the source says that it was drawn, where that is earlier. What is painted over and over is
    ///   told of once until it is read, as it was painted first, and that may have been the same once more.
    package mutating func looked(_ look: Look, changedAt noticed: Instant, drawnAt: Instant? = nil) {
        if look == .repeated { repaintedAt = noticed }
        let isRepainted = repaintedAt.map { noticed - $0 < MediaLimits.memoryOfRepaint } ?? false
        let changedAt = isRepainted ? noticed : min(noticed, drawnAt ?? noticed)
        switch look {
        case .repeated: drops[.repeated, default: 0] += 1
        case .beside: changed(at: changedAt)
        case .picture:
            detector.sawPicture(at: changedAt)
            leaveFilmThatEnded()
            if grid.isFollowing, let cadence = detector.cadence { grid.move(to: cadence) }
            changed(at: changedAt)
            pictureAt = changedAt
        }
    }

    /// What changes until the next frame should be looked at, change by change.
    private var wantsLooks: Bool { pace == .fixed && runLength > 0 && !isRepeating && follower.isWatching }

    /// Whether a picture read now is new should be told: while its change waits, or right after its frame was decided.
    package var wantsNews: Bool { pace == .fixed && runLength > 0 && (hasChange ? follower.isWatching : follower.isClosing) }

    /// Whether a picture read now is compared with any later one, as far as is known.
    package var remembersNews: Bool { pace == .fixed && !(runLength > 0 && follower.isResting) }

    /// What changed at `changedAt` is new to the eye.
    package mutating func sawSomethingNew(changedAt: Instant) {
        guard wantsNews else { return }
        let offset = grid.offset(of: changedAt)
        follower.sawSomethingNew(lag: hasChange ? grid.period - offset : .zero - offset)
    }

    /// What to do at `now`; what is not `wait` counts as done, with the unit sent.
    ///
    /// - Parameters:
    ///   - outboxFull: pictures wait to leave, and another would wait behind them.
    ///   - yields: they do so only to make a picture sharper, and hurry for what is new.
    ///   - keyframeNeeded: a viewer waits for a keyframe, and one is allowed now.
    package mutating func decide(
        at now: Instant, outboxFull: Bool, yields: Bool = false, keyframeNeeded: Bool
    ) -> FrameDecision {
        detector.advance(to: now)
        leaveFilmThatEnded()
        guard let (work, due) = next(keyframeNeeded: keyframeNeeded) else { return .wait(until: .distantFuture) }
        if now < due { return .wait(until: due) }
        if outboxFull, !(yields && work == .new) {
            if work == .new { drops[.outboxFull, default: 0] += 1 }
            return .wait(until: now + grid.period / 2)
        }
        before = (lastUnit, lastChangedFrame, echoesKeyframe)
        isRepeating = false
        defer {
            lastUnit = now
            // A pass may find no bits: the sign of life is still to come then.
            if work != .again, work != .catchUp { echoesKeyframe = false }
        }
        gridBefore = work == .again ? grid : nil
        fruitlessAt = nil
        switch work {
        case .new: return .encode(newFrame(at: now))
        case .again: return .encodeAgain(repetition(at: now, inSlot: !keyframeNeeded))
        case .catchUp: return .catchUp(repetition(at: now, inSlot: false))
        case .keepalive:
            lastSent = now
            return .keepalive(repetition(at: now, inSlot: false))
        }
    }

    private mutating func leaveFilmThatEnded() {
        if grid.isFollowing, detector.cadence == nil { grid.leave(for: ownRate) }
    }

    /// What the encoder made of the last decision; `RefinementPolicy.nothingEncoded` where it made nothing: the picture
    /// is tried again in the next slot.
    ///
    /// - Parameter isSent: something left, be it for another viewer.
    package mutating func encoded(quantiser: Double, isNewPicture: Bool, isSent: Bool = true) {
        refinement.encoded(quantiser: quantiser, isNewPicture: isNewPicture)
        guard quantiser >= RefinementPolicy.nothingEncoded else {
            echoesKeyframe = false
            return lastSent = lastUnit
        }
        if isNewPicture { changedAt = changedAt ?? lastUnit }
        guard !isNewPicture, !isSent, let gridBefore else { return }
        (grid, fruitlessAt) = (gridBefore, lastUnit)
    }

    /// The picture of the last decision shows the same as the one before, and nothing was made of it. It has used up its
    /// slot, so that what is painted on and on is looked at no more often than that; but it is no change, and signs of life
    /// go ahead of the next look.
    package mutating func repeated() {
        drops[.repeated, default: 0] += 1
        (lastUnit, lastChangedFrame, echoesKeyframe) = before
        isRepeating = true
    }

    /// The last decision made a keyframe, for a viewer who may just have joined. On a still screen a sign of life follows
    /// in the next slot, because some receivers show a picture only when the next one begins; in a run the next picture does
    /// that, and a sign of life only where it has ended.
    package mutating func keyframeMade() {
        echoesKeyframe = true
        refinement.keyframeMade()
    }

    /// Another rate from the next frame on. Media times go on from where they are, and what is known of what plays stays
    /// known while it is looked at.
    package mutating func set(rate: FrameRate, pace: FramePace) {
        ownRate = rate
        if pace == .fixed || self.pace == .fixed { detector.restart() }
        self.pace = pace
        follower = PhaseFollower(period: rate.period)
        grid.leave(for: rate)
    }

    /// What is there was shown already, or must not be shown (a pause, another source): the next change starts anew.
    package mutating func reset() {
        changedAt = nil
        changedAgainAt = nil
        pictureAt = nil
        retries = false
        isRepeating = false
        lastUnit = nil
        lastSent = nil
        lastChangedFrame = nil
        runLength = 0
        detector.restart()
        if grid.isFollowing { grid.leave(for: ownRate) }
        refinement.reset()
    }
}

// MARK: - What is next, and when

extension FrameRateAdapter {
    private func next(keyframeNeeded: Bool) -> (Work, Instant)? {
        if let changedAt { return next(changedAt, keyframeNeeded: keyframeNeeded) }
        guard let lastUnit else { return keyframeNeeded ? (.new, .zero) : nil }
        if keyframeNeeded { return (.again, keyframeDue) }
        // Passes may have to wait for bits: signs of life come all the same.
        let keepalive = keepaliveDue(after: lastUnit)
        if refinement.wantsPass, refinementDue <= keepalive { return (.again, refinementDue) }
        let catchUp = lastUnit + grid.period * Int(MediaLimits.periodsOfRest)
        if owesSlower, catchUp < keepalive { return (.catchUp, catchUp) }
        return (.keepalive, keepalive)
    }

    /// A change comes first. Where it could not be read before, another try may take long, and viewers do not wait for it;
    /// nor for one that is likely to be none.
    private func next(_ changedAt: Instant, keyframeNeeded: Bool) -> (Work, Instant) {
        let due = due(changedAt)
        guard retries || isRepeating, let lastUnit else { return (.new, due) }
        let dueBefore = keyframeNeeded ? keyframeDue : keepaliveDue(after: lastUnit)
        guard dueBefore <= (retries ? due + grid.period : due) else { return (.new, due) }
        return (keyframeNeeded ? .again : .keepalive, dueBefore)
    }

    private var keyframeDue: Instant { max(grid.catchUp, nextOfFilm ?? .zero) }

    private func keepaliveDue(after lastUnit: Instant) -> Instant {
        // What plays is followed by a picture anyway, more than a period later where the display's ticks fall so; this would
        // end its run.
        let echo = grid.period * (pace != .fixed && runLength > 1 ? Int(MediaLimits.periodsOfRest) : 1)
        return (lastSent ?? lastUnit) + (echoesKeyframe ? echo : MediaLimits.keepaliveInterval)
    }

    /// Until when the next picture of what plays comes, and a keyframe with it; nil where nothing does.
    private var nextOfFilm: Instant? {
        guard grid.isFollowing, runLength > 0, let cadence = detector.cadence else { return nil }
        return grid.nextSlot + cadence.lateness
    }

    /// A change in a run waits for its slot, unless it comes where that is due; any other leaves at once.
    private func due(_ changedAt: Instant) -> Instant {
        guard continuesRun(changedAt) else { return max(changedAt, grid.catchUp) }
        if let newest = grid.isFollowing ? pictureAt : changedAgainAt ?? changedAt, isEarly(newest) { return newest }
        // Of what plays too fast to be sent whole, the picture that is due then is on its way.
        let patience = grid.isFollowing ? detector.cadence?.lateness ?? .zero : .zero
        return max(changedAt, grid.nextSlot + patience)
    }

    private func continuesRun(_ changedAt: Instant) -> Bool { runLength > 0 && isSoon(changedAt) }

    private func isSoon(_ changedAt: Instant) -> Bool {
        lastChangedFrame.map { changedAt - $0 < grid.period * Int(MediaLimits.periodsOfRest) } ?? false
    }

    private func isEarly(_ changedAt: Instant) -> Bool {
        changedAt >= grid.nextSlot - grid.earliness
    }

    /// A change after a rest is refined as soon as it is sent, any other single one in the very next slot; in a run the
    /// next picture would throw that away.
    private var refinementDue: Instant {
        let slot = max(grid.nextSlot, grid.nextUnused, fruitlessAt.map { $0 + grid.period } ?? .zero)
        if runLength > 1, let lastChangedFrame {
            return max(slot, lastChangedFrame + grid.period * Int(MediaLimits.periodsOfRest))
        }
        guard followsRest, fruitlessAt == nil, let lastUnit else { return slot }
        return max(grid.catchUp, min(slot, lastUnit + MediaLimits.refinementPause))
    }
}

// MARK: - Taking a slot

extension FrameRateAdapter {
    private mutating func newFrame(at now: Instant) -> MediaTime {
        let changedAt = changedAt ?? now
        followsRest = !isSoon(changedAt)
        defer {
            self.changedAt = nil
            changedAgainAt = nil
            pictureAt = nil
            retries = false
            lastChangedFrame = now
        }
        guard continuesRun(changedAt) else {
            runLength = 1
            follower.restart()
            if grid.isFollowing { grid.leave(for: ownRate) }
            if pace != .fixed {
                detector.rest()
                detector.sawPicture(at: changedAt)
            }
            // What moves goes on a period after it was taken, not after a viewer came.
            return grid.restart(at: now - changedAt < grid.period ? min(now, max(changedAt, grid.catchUp)) : now)
        }
        runLength += 1
        let time = grid.take(at: grid.isFollowing ? pictureAt ?? now : now)
        switch pace {
        case .fixed: grid.shift(by: follower.frameLeaves())
        case .watching: break
        case .following: if let cadence = detector.cadence { grid.follow(cadence) }
        }
        return time
    }

    /// The last picture once more; that ends the run.
    private mutating func repetition(at now: Instant, inSlot: Bool) -> MediaTime {
        runLength = 0
        return inSlot ? grid.rest(at: now) : grid.restart(at: now)
    }
}
