import Timebase

/// The slots that frames leave in, and their media times.
///
/// A run of motion has its own grid: slot 0 is the change that began it, slot n lies n periods later, exactly. In real
/// time the slots may be moved by a phase, to follow the source; media times never are, so they neither jitter nor
/// drift: where the phase has grown past three quarters of a period, one slot is left out (or one period is); and where
/// what plays is not quite of the rate it is taken for (60.05 Hz), they are turned back to the clock, little by little.
///
/// A frame that leaves out of turn uses up a slot, so that frames are no more than the rate allows; what follows it keeps
/// its own time all the same. Sound is placed by how media times and moments of capture go together, and that holds.
struct FrameGrid: Sendable {
    private(set) var rate: FrameRate
    private let start: Instant
    /// The slots are those of what plays: its rate and its phase.
    private(set) var isFollowing = false
    private var origin: Instant
    private var originTicks: Int64 = 0
    private var slot: Int64 = 0
    private var phase = Duration.zero
    /// The media time of the last frame, and that of the slot it used up.
    private var lastTicks: Int64?
    private var usedTicks: Int64?
    /// By how much the slots of the run that are used up are ahead of their frames.
    private var aheadTicks: Int64 = 0
    /// The rate turned out to be another, and media times come back to its clock.
    private var comesBack = false
    /// Media times have not been near the clock since the slots are these.
    private var isNew = true

    /// - Parameter start: media time zero.
    init(rate: FrameRate, start: Instant) {
        self.rate = rate
        self.start = start
        origin = start
    }

    var period: Duration { rate.period }
    private var periodTicks: Int64 { MediaTime(elapsed: period).ticks }

    /// When the slot after the last one comes.
    var nextSlot: Instant { time(of: slot + 1) }

    /// How long before its slot a frame may leave: what plays is punctual but for its jitter.
    var earliness: Duration { isFollowing ? CadenceLimits.earliness : period / MediaLimits.earlyShare }

    /// How far an instant lies behind the last slot.
    func offset(of instant: Instant) -> Duration { instant - time(of: slot) }

    /// From when a frame may leave out of turn: no more than one slot is used up ahead of its time.
    var catchUp: Instant { usedTicks.map { instant(of: $0) } ?? start }

    /// When the slot after those that are used up is due.
    var nextUnused: Instant { usedTicks.map { instant(of: $0 + periodTicks) } ?? start }

    /// A new grid whose slot 0 is now: frames after a rest, and everything that does not belong to motion.
    mutating func restart(at now: Instant) -> MediaTime {
        origin = now
        slot = 0
        phase = .zero
        let trueTicks = ticks(of: now)
        originTicks = max(trueTicks, usedTicks.map { $0 + periodTicks } ?? trueTicks)
        aheadTicks = originTicks - trueTicks
        return stamp()
    }

    /// A slot for what does not belong to motion: on this grid where its turn has come, and else with its own time.
    mutating func rest(at now: Instant) -> MediaTime {
        aheadTicks > 0 || now < nextSlot - earliness ? restart(at: now) : take(at: now)
    }

    /// The slot that now falls into, and never the last one again. A frame may leave a little before its slot; any
    /// later one belongs to the slot before it, so that the next is never further off than that.
    mutating func take(at now: Instant) -> MediaTime {
        let elapsed = Double((now - origin - phase + earliness).nanoseconds)
        let reached = (elapsed * Double(rate.numerator) / (Double(rate.denominator) * 1e9)).rounded(.down)
        slot = max(slot + 1, Int64(reached))
        return stamp()
    }

    /// Moves the slots to come; the media times of those left stay within a period of their own time.
    mutating func shift(by duration: Duration) {
        phase += duration
        if phase * 4 > period * 3 {
            phase -= period
            slot += 1
        } else if phase * 4 < period * -3 {
            phase += period
        }
    }

    /// The slots of what plays, from the last one taken on: one of its pictures was due at `due`. Media times go on a
    /// period of the new rate apart.
    mutating func follow(_ cadence: Cadence) {
        let rate = cadence.frames
        if !isFollowing || !isNear(rate) {
            rebase(rate, at: cadence.due)
        } else if rate != self.rate {
            retune(rate)
        }
        isFollowing = true
        keepToClock()
    }

    /// A picture of what plays was drawn, and the slots move with it. By half of what one lasts that is a display's step (30 in
    /// 59.94 Hz); by three quarters and more it was counted too many, or too few, or it is one from between the slots.
    mutating func move(to cadence: Cadence) {
        let late = (cadence.due - nextSlot).nanoseconds
        let turn = cadence.timing.frameRate.period.nanoseconds
        phase += .nanoseconds(late - (late + late.signum() * turn / 4) / turn * turn)
    }

    /// Media times that have left the clock by more than half a period come back by less than can be seen for each picture,
    /// and behind a turn to a rate a thousandth off all the way. What the slots began ahead with, up to a period, may stay;
    /// what is used up ahead does not.
    private mutating func keepToClock() {
        let spent = min(periodTicks / CadenceLimits.clockShare, aheadTicks)
        aheadTicks -= spent
        originTicks -= spent
        let stamped = originTicks + MediaTime(elapsed: rate.time(ofFrame: slot)).ticks - aheadTicks
        let early = ticks(of: time(of: slot)) - stamped
        if abs(early) <= CadenceLimits.clockStep { comesBack = false }
        if abs(early) <= periodTicks / CadenceLimits.nearShare { isNew = false }
        let isFar = abs(early) > (isNew ? periodTicks : periodTicks / 2)
        if isFar || comesBack { originTicks += min(CadenceLimits.clockStep, max(-CadenceLimits.clockStep, early)) }
    }

    /// The same but for its fraction.
    private func isNear(_ rate: FrameRate) -> Bool {
        abs((rate.period - period).nanoseconds) <= period.nanoseconds / 500
    }

    /// Another rate from the last slot on, whose media time is what it was.
    private mutating func retune(_ rate: FrameRate) {
        originTicks += MediaTime(elapsed: self.rate.time(ofFrame: slot)).ticks
        origin = time(of: slot)
        slot = 0
        phase = .zero
        self.rate = rate
        comesBack = true
        isNew = false
    }

    /// Back to a rate of our own, from the last slot on. Where media times are ahead, the slots wait until the clock is
    /// there: where rates come and go, each would add to it.
    mutating func leave(for rate: FrameRate) {
        rebase(rate, at: max(time(of: slot), lastTicks.map { instant(of: $0) } ?? start))
        isFollowing = false
    }

    private mutating func rebase(_ rate: FrameRate, at instant: Instant) {
        origin = instant
        // Back to true time, but the next frame comes no closer than a period, the shorter of the two: the last one may have
        // waited for its slot, by a period at most.
        let (trueTicks, turn) = (ticks(of: instant), MediaTime(elapsed: rate.period).ticks)
        let least = (lastTicks ?? trueTicks) - max(0, turn - periodTicks)
        originTicks = max(trueTicks, min(least, trueTicks + turn))
        originTicks += aheadTicks  // Those stay used up.
        slot = 0
        phase = .zero
        comesBack = false
        isNew = true
        self.rate = rate
    }

    private func time(of slot: Int64) -> Instant { origin + rate.time(ofFrame: slot) + phase }

    private func instant(of ticks: Int64) -> Instant { start + MediaTime(ticks: ticks).elapsed }

    private func ticks(of instant: Instant) -> Int64 { MediaTime(elapsed: max(.zero, instant - start)).ticks }

    private mutating func stamp() -> MediaTime {
        let used = originTicks + MediaTime(elapsed: rate.time(ofFrame: slot)).ticks
        usedTicks = used
        let stamped = max(used - aheadTicks, lastTicks.map { $0 + periodTicks / MediaLimits.closest } ?? .min)
        lastTicks = stamped
        return MediaTime(ticks: stamped)
    }
}
