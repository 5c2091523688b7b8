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
    /// The last picture of the first block, and when it was due.
    private var anchor: (index: Int64, due: Double)?

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
        let late = elapsed - Double(reached) * rate.period
        guard reached > index, reached - index <= CadenceLimits.gap, late <= patience else { return false }
        missing += (min(1, Double(reached - index - 1)) - missing) / CadenceLimits.memory
        guard missing <= CadenceLimits.missing else { return false }
        index = reached
        pictures += 1
        follow(late)
        return true
    }

    /// Keeps the phase at the least late of the pictures, and finds out by how much that drifts.
    private mutating func follow(_ late: Double) {
        blockCount += 1
        blockLeast = min(blockLeast, late)
        guard blockCount >= CadenceLimits.block else { return }
        origin += blockLeast
        blockCount = 0
        blockLeast = .infinity
        guard let anchor else { return anchor = (index, due) }
        tellFractional(pictures: index - anchor.index, elapsed: due - anchor.due)
    }

    private mutating func tellFractional(pictures: Int64, elapsed: Double) {
        let nominal = Double(pictures) * CadenceRate(rate.nominal).period
        let expected = nominal / 1000
        guard rate.hasFractional, expected >= CadenceLimits.decisiveDrift else { return }
        let share = (elapsed - nominal) / expected
        let isOther = rate.isFractional ? share < CadenceLimits.isNominal : CadenceLimits.isFractional.contains(share)
        guard isOther else { return }
        let due = due
        rate = CadenceRate(rate.nominal, isFractional: !rate.isFractional)
        origin = due - Double(index) * rate.period
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
