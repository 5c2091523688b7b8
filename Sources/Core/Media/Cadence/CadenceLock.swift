import Timebase

/// A rate that the pictures keep to, and where they stand in it. Times are nanoseconds.
struct CadenceLock: Sendable {
    private(set) var rate: CadenceRate
    /// When picture 0 was due.
    private var origin: Double
    /// The newest picture's number.
    private var index: Int64
    /// How much later than due a picture may come: a period of the display.
    private var spread: Double
    private var pictures: Int
    /// How many of the last pictures never came.
    private var missing = 0.0
    /// The block that is being gone through: its pictures so far, and by how much the least late of them was.
    private var blockCount = 0
    private var blockLeast = Double.infinity
    /// From the first block on, where the rate has a fractional one beside it.
    private var drift: DriftWatch?
    /// The picture behind the last that was missing, and how many such in a row were `CadenceLimits.ticksOfGap` apart.
    private var gap: Int64?
    private var regularGaps = 0

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
            rate: rate, confidence: seen * (1 - missing), due: Instant(nanoseconds: Int64(due)),
            lateness: .nanoseconds(Int64(patience)))
    }

    /// How late a picture may come. Once known, a rate survives a player that is busy for a moment.
    private var patience: Double { max(spread + 2 * jitter, rate.period * CadenceLimits.patience) }

    /// What plays now may have another rate.
    var leavesOutMany: Bool { missing > CadenceLimits.doubtful }

    /// It has been this rate for long.
    var isBelieved: Bool { pictures >= CadenceLimits.picturesBelieved }

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
        // Behind a tick without a picture comes the one that was due then.
        if rate.isFractional, fillsItsDisplay, reached == index + 2, elapsed - Double(index + 1) * rate.period <= patience {
            reached -= 1
        }
        let late = elapsed - Double(reached) * rate.period
        guard reached > index, reached - index <= CadenceLimits.gap, late <= patience else { return false }
        let left = reached - index - 1
        missing += (min(1, Double(left)) - missing) / CadenceLimits.memory
        guard missing <= CadenceLimits.missing else { return false }
        index = reached
        pictures += 1
        follow(late)
        if left > 0 { sawGap(of: left) }
        return true
    }

    /// The display's period, or a common display's where that is longer.
    private var step: Double { max(spread, CadenceLimits.commonRefresh) }

    /// Each tick of the display is to show a picture, as far as is known.
    private var fillsItsDisplay: Bool { step >= rate.period * CadenceLimits.fills }

    /// Pictures of which the least late tells where the phase is. Those of a fractional rate come less and less late, for
    /// as many seconds as the display's period has milliseconds at most, before one is late by a step again.
    private var block: Int { rate.isFractional ? Int(1000 * step / rate.period) : CadenceLimits.block }

    /// Keeps the phase at the least late of the pictures, and finds out by how much that drifts.
    private mutating func follow(_ late: Double) {
        blockCount += 1
        blockLeast = min(blockLeast, late)
        guard blockCount >= block || (rate.isFractional && late < 0) else { return }
        origin += blockLeast
        blockCount = 0
        blockLeast = .infinity
        if rate.hasFractional { tellFractional() }
    }

    private mutating func tellFractional() {
        guard var seen = drift else { return watchDrift() }
        seen.saw(index, due: due)
        drift = seen
        if rate.isFractional {
            guard seen.expected >= CadenceLimits.decisiveSteps * step else { return }
            if seen.isNominal { turn(due: due) } else { watchDrift() }
        } else if seen.isFractional {
            turn(due: seen.fractionalDue)
        } else if seen.expected >= 2 * CadenceLimits.decisiveSteps * step {
            watchDrift()
        }
    }

    private mutating func watchDrift() { drift = DriftWatch(at: index, due: due, of: rate) }

    /// Where each tick is to show a picture, those of a fractional rate do a thousand times, and then one tick has none.
    /// Counted by ticks they are never late: that such ticks are equally far apart is all that tells them from captures
    /// that were dropped.
    private mutating func sawGap(of count: Int64) {
        guard rate.hasFractional, !rate.isFractional, fillsItsDisplay else { return }
        let isRegular = count == 1 && gap.map { CadenceLimits.ticksOfGap.contains(index - $0) } ?? false
        regularGaps = isRegular ? regularGaps + 1 : 0
        gap = index
        guard regularGaps >= CadenceLimits.regularGaps else { return }
        // This one is a whole tick late.
        spread = max(spread, rate.period)
        turn(due: due - spread)
    }

    /// It is the other of the two rates, and its newest picture was due at `due`.
    private mutating func turn(due: Double) {
        rate = CadenceRate(rate.nominal, isFractional: !rate.isFractional)
        origin = due - Double(index) * rate.period
        blockCount = 0
        blockLeast = .infinity
        gap = nil
        regularGaps = 0
        watchDrift()
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
