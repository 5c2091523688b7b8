import Timebase

/// Decides when encoding has to take less of the processor so that pictures are not late, and when it may take more.
///
///     busy for three quarters of the period ──► a step down, or as many as are sure to be needed
///     for less than two fifths, some seconds ──► a step up; the next attempt waits longer if that was too much
package struct CPUBudget: Sendable {
    /// 0 is what was asked for; each step takes less of the processor.
    package private(set) var step = 0
    private let lastStep: Int
    private var load = 0.0
    private var pictures = 0
    /// Pictures in a row, each of them late.
    private var late = 0
    private var calmSince: Instant?
    private var steppedUpAt: Instant?
    private var patience = Self.shortestPatience

    private static let highLoad = 0.75
    private static let lowLoad = 0.4
    private static let lateLoad = 1.5
    /// No step saves more than this share of the work, so that a load far too high needs several.
    private static let greatestSaving = 0.5
    /// A step shows after so many pictures; one slow picture, a new page, is none of its business.
    private static let leastPictures = 8
    /// Where each of them takes long, eight would be a second.
    private static let leastLatePictures = 3
    private static let shortestPatience = Duration.seconds(5)
    private static let longestPatience = Duration.seconds(80)

    /// - Parameter steps: how many there are below what was asked for.
    package init(steps: Int) {
        lastStep = max(0, steps)
    }

    /// Takes note of a picture.
    /// - Parameters:
    ///   - busy: from the beginning of the work on it to its end.
    ///   - period: the time between two pictures.
    /// - Returns: whether the step is another one now.
    package mutating func spent(_ busy: Duration, of period: Duration, at now: Instant) -> Bool {
        let share = min(8, busy / max(period, .microseconds(1)))
        load += (share - load) / Double(min(pictures + 1, Self.leastPictures))
        pictures += 1
        late = share > Self.lateLoad ? late + 1 : 0
        if load >= Self.lowLoad || pictures < Self.leastPictures { calmSince = nil }
        let known = pictures >= Self.leastPictures || late >= Self.leastLatePictures
        if known, load > Self.highLoad { return stepDown(at: now) }
        guard step > 0, pictures >= Self.leastPictures, load < Self.lowLoad else { return false }
        let calm = calmSince ?? now
        calmSince = calm
        return now - calm >= patience ? stepUp(at: now) : false
    }

    private mutating func stepDown(at now: Instant) -> Bool {
        guard step < lastStep else { return false }
        if let steppedUpAt, now - steppedUpAt < Self.shortestPatience * 2 {
            patience = min(Self.longestPatience, patience * 2)
        }
        begin(min(lastStep, step + stepsNeeded))
        return true
    }

    /// The fewest steps that can bring the load down to what is not too high.
    private var stepsNeeded: Int {
        var steps = 1
        var best = load * Self.greatestSaving
        while best > Self.highLoad {
            best *= Self.greatestSaving
            steps += 1
        }
        return steps
    }

    private mutating func stepUp(at now: Instant) -> Bool {
        steppedUpAt = now
        begin(step - 1)
        return true
    }

    private mutating func begin(_ next: Int) {
        step = next
        load = 0
        pictures = 0
        late = 0
        calmSince = nil
    }
}
