import Timebase

/// A rate that the pictures keep to, and where they stand in it. Times are nanoseconds.
struct CadenceLock: Sendable {
    private(set) var rate: CadenceRate
    /// When picture 0 was due.
    private var origin: Double
    /// The newest picture's number.
    private var index: Int64
    /// How much later than due a picture may come: a period of the display.
    private let spread: Double
    private var pictures: Int
    /// How many of the last pictures never came.
    private var missing = 0.0
    /// The block that is being gone through: its pictures so far, and by how much the least late of them was.
    private var blockCount = 0
    private var blockLeast = Double.infinity
    /// The same of a fractional rate's blocks.
    private var blocks = 0
    private var leastOfBlocks = Double.infinity
    /// From the first block on, where the rate has a fractional one beside it.
    private var drift: DriftWatch?
    /// The same, where each tick of the display shows a picture.
    private var beat = BeatWatch()
    /// Pictures since the display left out a tick, and by how much they have got later by and by.
    private var sinceSlip = CadenceLimits.picturesBetweenSlips - CadenceLimits.picturesBelieved
    /// Pictures since the player stumbled, and how late the last three were.
    private var sinceStumble = CadenceLimits.picturesBetweenStumbles
    private var latest = SIMD3<Double>.zero
    private var risen = 0.0

    /// Nil where the times, of pictures without a gap, fit none of the rates.
    init?(_ rates: [CadenceRate], _ times: ArraySlice<Double>) {
        guard let first = times.first else { return nil }
        let refresh = Self.refresh(of: times)
        let fits = rates.map { rate in Self.lateness(times, rate) }.sorted { $0.spread < $1.spread }
        guard let best = fits.first,
            best.spread <= min(refresh + CadenceLimits.jitter(period: best.rate.period), best.rate.period * 0.95)
        else { return nil }
        let isDoubtful = fits.count > 1 && fits[1].spread - best.spread < CadenceLimits.margin
        if isDoubtful, times.count < CadenceLimits.picturesInDoubt { return nil }
        rate = best.rate
        origin = first + best.least
        index = Int64(times.count - 1)
        spread = refresh
        pictures = times.count
    }

    var cadence: Cadence {
        let seen = Double(pictures) / Double(pictures + CadenceLimits.pictures)
        return Cadence(
            rate: CadenceRate(rate.nominal, isFractional: rate.isFractional || beat.isFractional), timing: rate,
            confidence: seen * (1 - missing), due: Instant(nanoseconds: Int64(due)), lateness: .nanoseconds(Int64(patience)))
    }

    /// How late a picture may come. Once known, a rate survives a player that is busy for a moment.
    private var patience: Double { max(spread + 2 * jitter, rate.period * CadenceLimits.patience) }

    /// What plays now may have another rate.
    var leavesOutMany: Bool { missing > CadenceLimits.doubtful }

    /// It has been this rate for long.
    var isBelieved: Bool { pictures >= CadenceLimits.picturesBelieved }

    /// What played before a break plays on.
    mutating func goOn(from before: CadenceLock) {
        guard before.rate == rate else { return }
        beat = before.beat
        beat.breakOff()
    }

    /// Whatever comes now or later is no picture of it.
    func hasStopped(at time: Double) -> Bool {
        time - due > Double(CadenceLimits.gap + 1) * rate.period + patience
    }

    private var jitter: Double { CadenceLimits.jitter(period: rate.period) }

    private var due: Double { origin + Double(index) * rate.period }

    /// Takes in the next picture; false where it breaks the pattern.
    mutating func takes(_ time: Double) -> Bool {
        let elapsed = time - origin
        var reached = Int64(((elapsed + jitter) / rate.period).rounded(.down))
        // Where the display's period is close to the rate's, jitter alone may bring a picture before its time.
        if reached == index, elapsed + 3 * jitter >= Double(index + 1) * rate.period { reached += 1 }
        let isSlip = hasSlipped(elapsed, behind: reached)
        if isSlip { reached += 1 }
        let late = elapsed - Double(reached) * rate.period
        guard reached > index, reached - index <= CadenceLimits.gap, late <= patience || forgivesStumble else { return false }
        sinceStumble = late > patience ? 0 : min(sinceStumble + 1, CadenceLimits.picturesBetweenStumbles)
        latest = SIMD3(late, latest.x, latest.y)
        guard sinceStumble != latest.scalarCount || isInTime else { return false }
        let left = reached - index - 1
        missing += (min(1, Double(left)) - missing) / CadenceLimits.memory
        guard missing <= CadenceLimits.missing else { return false }
        index = reached
        pictures += 1
        // A player that was busy comes back to its time too, behind pictures that are missing.
        sinceSlip = isSlip ? 0 : min(sinceSlip + 1, left > 0 ? CadenceLimits.picturesBetweenSlips - CadenceLimits.pictures : .max)
        follow(late, isOnTime: isSlip || (rate.isFractional && late < 0))
        if rate.hasFractional, !rate.isFractional {
            beat.saw(index, due: due, of: rate, isBehindNone: left > 0)
        }
        return true
    }

    /// A player that stumbles shows one picture late, and those before and behind it in their time. Where they are all late,
    /// the pattern has moved.
    private var forgivesStumble: Bool {
        isBelieved && sinceStumble >= CadenceLimits.picturesBetweenStumbles && isInTime
    }

    private var isInTime: Bool { latest.min() <= spread * CadenceLimits.leastOfThree }

    /// 30 pictures a second get later and later on a display of 59.94 Hz, until one is shown a tick after the one before, not
    /// two: then they are on time again. Where that one was not captured, the next is not a late one either.
    private func hasSlipped(_ elapsed: Double, behind reached: Int64) -> Bool {
        guard spread >= rate.period * CadenceLimits.even, sinceSlip >= CadenceLimits.picturesBetweenSlips,
            reached == index || risen >= rate.period * CadenceLimits.slipRise
        else { return false }
        return Double(reached + 1) * rate.period - elapsed <= rate.period / 2 + jitter
    }

    /// Keeps the phase at the least late of the pictures, and finds out by how much that drifts.
    ///
    /// - Parameter isOnTime: the picture itself tells the phase: it came before its time, and none does.
    private mutating func follow(_ late: Double, isOnTime: Bool) {
        blockCount += 1
        blockLeast = min(blockLeast, late)
        if isOnTime {
            move(by: late)
            risen = 0
        }
        guard blockCount >= CadenceLimits.block else { return }
        watchDrift(due + blockLeast)
        leastOfBlocks = min(leastOfBlocks, blockLeast)
        blocks += 1
        blockCount = 0
        blockLeast = .infinity
        // Those of a fractional rate come less and less late, before one is late by a step of the display again.
        guard !rate.isFractional || blocks >= CadenceLimits.blocksOfFractional else { return }
        risen = leastOfBlocks > jitter ? 0 : risen + leastOfBlocks
        move(by: leastOfBlocks)
        blocks = 0
        leastOfBlocks = .infinity
    }

    private mutating func move(by duration: Double) {
        origin += duration
        blockLeast -= duration
        leastOfBlocks -= duration
    }

    private mutating func watchDrift(_ leastDue: Double) {
        guard rate.hasFractional else { return }
        guard var seen = drift else { return drift = DriftWatch(at: index, due: leastDue, of: rate) }
        seen.saw(index, due: leastDue)
        drift = seen
        switch seen.finding(of: rate) {
        case .nothing: break
        case .isNeither: drift = nil
        case .isOther:
            turn(due: leastDue + (rate.isFractional ? 0 : seen.fractionalDelay))
            blockLeast = max(0, leastDue - due)
        }
    }

    /// It is the other of the two rates, and its newest picture was due at `due`.
    private mutating func turn(due: Double) {
        rate = CadenceRate(rate.nominal, isFractional: !rate.isFractional)
        origin = due - Double(index) * rate.period
        blocks = 0
        leastOfBlocks = .infinity
        drift = nil
        beat = BeatWatch()
    }

    private typealias Fit = (rate: CadenceRate, least: Double, spread: Double)

    /// How late the pictures are, in steps of a period from the first.
    private static func lateness(_ times: ArraySlice<Double>, _ rate: CadenceRate) -> Fit {
        guard let first = times.first else { return (rate, 0, .infinity) }
        let late = times.enumerated().map { index, time in time - first - Double(index) * rate.period }
        let least = late.min() ?? 0
        return (rate, least, (late.max() ?? 0) - least)
    }

    /// The display's period: the longest whose multiples all the distances are; where there is none, nothing is shown in
    /// steps, and the shortest will do.
    private static func refresh(of times: ArraySlice<Double>) -> Double {
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }
        let found = CadenceLimits.refreshes.first { refresh in
            distances.allSatisfy { abs($0.remainder(dividingBy: refresh)) <= CadenceLimits.longestJitter * 3 / 4 }
        }
        return found ?? CadenceLimits.refreshes.last ?? 0
    }
}
