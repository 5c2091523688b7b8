import Timebase

/// What plays on the screen at a rate of its own: a film, a call, an animation.
package struct Cadence: Hashable, Sendable {
    package var rate: CadenceRate
    /// The rate that times go by: the same, or that of the display's ticks where each but one in 1001 shows a picture.
    var timing: CadenceRate
    /// From 0 to 1: how long the pictures have kept to the rate, and how many of the last ones were there.
    package var confidence: Double
    /// When the newest picture was due by its own clock. It is shown up to one period of the display later.
    package var due: Instant
    /// How long after they are due its pictures may be shown.
    package var lateness: Duration

    /// The rate that its frames leave at: of 50 and 60 a second, every other one.
    var frames: FrameRate {
        let whole = timing.frameRate
        return timing.nominal > 30 ? FrameRate(whole.numerator, per: whole.denominator * 2) : whole
    }
}

/// Finds the rate of what plays from when new pictures came: inverse telecine by time.
///
///     searching ──9 pictures fit a rate──► locked ──a picture that does not fit──► searching
///                 (5 where it is the rate that it was; up to 14 where two rates fit)
///
/// A display of 60 Hz shows a film of 24 for two and three of its periods in turn, so the pictures of a rate come up to
/// one period of the display late. Of the rates whose pictures would spread no further than that, the one where they
/// spread least is it; whether it is a thousandth slower, the next minute tells (`DriftWatch`; `BeatWatch`, where each tick
/// shows a picture). Repeats of a picture are not told to the detector; who compares pixels leaves them out.
package struct CadenceDetector: Sendable {
    private enum State: Sendable {
        case searching(suspect: CadenceRate?)
        case locked(CadenceLock)
    }

    private var state = State.searching(suspect: nil)
    /// What played before a still moment, or before the pattern broke. It goes on most likely, with its fraction, which the
    /// first pictures don't tell.
    private var before: CadenceLock?
    /// When the last new pictures came, in nanoseconds.
    private var times: [Double] = []

    package init() {}

    /// Nil as long as none is found, and at once when the pattern breaks.
    package var cadence: Cadence? {
        switch state {
        case .searching: nil
        case .locked(let lock): lock.cadence
        }
    }

    /// A picture was drawn that differs from the one before.
    package mutating func sawPicture(at instant: Instant) {
        let time = Double(instant.nanoseconds)
        if let last = times.last, time <= last { return }
        times.append(time)
        if times.count > CadenceLimits.picturesOfAnother { times.removeFirst() }
        switch state {
        case .locked(let lock): follow(lock, time)
        case .searching(let suspect): search(suspect)
        }
    }

    /// Time passes. Where no picture comes for long, what played has stopped.
    package mutating func advance(to now: Instant) {
        guard case .locked(let lock) = state, lock.hasStopped(at: Double(now.nanoseconds)) else { return }
        search(behind: lock, from: [])
    }

    /// A still moment: what comes next does not go on with the pattern of before.
    package mutating func rest() {
        if case .locked(let lock) = state { before = lock.isBelieved ? lock : before }
        times = []
        state = .searching(suspect: nil)
    }

    /// Nothing plays any more.
    package mutating func restart() {
        self = CadenceDetector()
    }

    private mutating func follow(_ lock: CadenceLock, _ time: Double) {
        var lock = lock
        if lock.takes(time) {
            state = .locked(lock)
            lookForAnother(lock)
        } else {
            search(behind: lock, from: [time])
        }
    }

    private mutating func search(behind lock: CadenceLock, from times: [Double]) {
        self.times = times
        before = lock.isBelieved ? lock : before
        state = .searching(suspect: lock.isBelieved ? lock.rate : nil)
    }

    /// The rates that a few pictures can tell from each other; of two that they can't, the one of before.
    private var candidates: [CadenceRate] {
        CadenceRate.nominal.map { rate in before.flatMap { $0.rate.nominal == rate.nominal ? $0.rate : nil } ?? rate }
    }

    /// A rate whose pictures are among those of the one that is known, as 25 in 30, breaks no pattern of it.
    private mutating func lookForAnother(_ lock: CadenceLock) {
        guard lock.leavesOutMany, times.count >= CadenceLimits.picturesOfAnother,
            let found = CadenceLock(candidates, times[...]), found.rate.nominal != lock.rate.nominal
        else { return }
        state = .locked(found)
    }

    private mutating func search(_ suspect: CadenceRate?) {
        var found: CadenceLock?
        if times.count >= CadenceLimits.pictures {
            found =
                CadenceLock(candidates, times.suffix(CadenceLimits.pictures))
                ?? CadenceLock(candidates, times.suffix(CadenceLimits.picturesInDoubt))
        } else if let suspect, times.count >= CadenceLimits.picturesAgain {
            found = CadenceLock([suspect], times.suffix(CadenceLimits.picturesAgain))
        }
        guard var lock = found else { return }
        if let before { lock.goOn(from: before) }
        state = .locked(lock)
    }
}
