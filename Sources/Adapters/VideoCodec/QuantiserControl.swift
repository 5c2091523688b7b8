import Media
import Timebase

/// Chooses each picture's quantiser, so that what leaves never exceeds the target by more than a bucket's worth.
///
/// The bucket is what is under way: pictures fill it, the target's rate empties it. A screen rests and then changes at
/// once, so a good part of the bucket may go into one picture. What a picture will take is foretold from its detail, times a
/// gain: how much of such detail the pictures before had to be coded anew (scrolled text a twentieth, film a third, a
/// new page all of it).
///
///     change after a rest ──► what a tenth of a second holds; where that can't be read, its outline
///     change in a run     ──► a frame's share, by the gain of the run
///     the same picture    ──► the next pass over what is coarse; waits while the last is under way
struct QuantiserControl {
    enum Kind: Equatable {
        case keyframe, change, repetition
        /// A change of less than the whole picture.
        case changeOfPart
        /// A change that left what is coarse around it as it was.
        case apart
        /// The pass that was due, and in the same picture changes.
        case carriedPass([PixelRect])
        /// No more than an outline of a change.
        case outline
        /// A change to what was there before: as sharp as it was left.
        case back(PendingRefinement?, missing: PixelRect)
    }

    /// A picture that is sent: what was coded of it, from what detail, and what it took.
    struct Coded {
        let areas: [PixelRect]
        let changed: PictureDetail
        let refined: PictureDetail
        let quantiser: Int
        let bits: Int
        let time: MediaTime

        var area: PixelRect { areas.reduce(.nothing) { $0.union($1) } }
    }

    private static let sharp = PendingRefinement.sharp
    /// In film, where there are bits for it: nothing stays that would be sharpened once more.
    private static let finestInFilm = 20
    /// Text looks clear up to here.
    private static let clear = 36
    /// Text can be read up to here.
    static let legible = 44
    static let coarsest = 51
    /// In a run steps are small. A picture is no more than so many finer than the last, …
    private static let stepsFiner = 2
    /// … or so many where that was coarser than `coarse`, …
    private static let stepsFromCoarse = 8
    private static let coarse = 30
    /// … and no more than so many coarser.
    private static let stepsCoarser = 6
    /// From this part of the bucket on, a picture of a run gets as coarse as it takes: what is in it is delay.
    private static let nearlyFull = 0.7
    /// A keyframe that is too large at `legible` is made coarser until it is no more than so many times what fits; other
    /// pictures, twice.
    private static let excessOfKeyframe = 1.2
    /// The gain that one picture teaches is between these, whatever it took.
    private static let gains = 0.01...2.0
    /// The gain assumed after a rest is between these; it follows what the changes before turned out to be.
    private static let restGains = 0.2...1.0
    /// The churn from which on a run is film: what it leaves coarse is gone with the next frame.
    static let film = 0.12
    /// A change is small up to this part of the picture.
    private static let smallShare = 4
    /// A gap after which a change is not a continuation: five frames at 30 fps.
    private static let rest = MediaTime.ticksPerSecond * 150 / 1000

    private let costFactor: Double
    private let pictureArea: Int
    private var bucket = BitBucket()
    private(set) var refinement: PendingRefinement
    private var restGain = 1.0
    private var runGain = 1.0
    /// How much of the whole picture each frame of the run had to be coded anew.
    private var churn = 1.0
    private var runLength = 0
    private var lastChange: MediaTime?
    private var lastQuantiser = PendingRefinement.sharp
    /// What changed by itself last.
    private var lastApart = PixelRect.nothing

    /// - Parameter costFactor: what the profile's entropy coder makes of a bit of the baseline's.
    init(pictureSize: PixelSize, costFactor: Double) {
        self.costFactor = costFactor
        pictureArea = pictureSize.area
        refinement = PendingRefinement(pictureSize: pictureSize, costFactor: costFactor)
    }

    /// How much of the picture each frame of a run is new: little where text scrolls, a good part in film; nil outside
    /// of a run.
    func churnOfRun(at time: MediaTime) -> Double? { continuesRun(at: time) && runLength > 4 ? churn : nil }

    /// The quantiser for a keyframe or a change, or nil where it has to wait for the bucket.
    ///
    /// - Parameters:
    ///   - changed: the detail of what changed; of everything, for a keyframe.
    ///   - refined: that of the coarse area, as far as the picture sharpens it.
    mutating func quantiser(
        for kind: Kind, changed: PictureDetail, refined: PictureDetail, at time: MediaTime, target: SendTarget
    ) -> Int? {
        bucket.drain(until: time, bitsPerSecond: target.bitsPerSecond)
        return kind == .keyframe ? keyframe(changed) : change(kind, changed, refined, at: time, target)
    }

    /// Whether a change should leave all around it as it is: a small one, or one beside a page that is being sharpened.
    /// In motion that covers a good part of the picture, all is sharpened as it goes.
    func isApart(_ areas: [PixelRect], at time: MediaTime) -> Bool {
        isSmall(areas) || (areas.allSatisfy { refinement.reaches(beyond: $0) } && !continuesRun(at: time))
    }

    func isSmall(_ areas: [PixelRect]) -> Bool {
        areas.reduce(0) { $0 + $1.area } * Self.smallShare < pictureArea
    }

    /// How a pass and changes go together.
    enum Carriage {
        /// The changes are coded as finely as the pass, whatever that takes.
        case together
        /// That would be too much: the pass leaves alone, and they with the next picture.
        case apart
        /// What is coarse changes itself, and needs no pass.
        case none
    }

    mutating func carriage(
        of changes: [PixelRect], _ detail: PictureDetail, at time: MediaTime, target: SendTarget
    ) -> Carriage {
        bucket.drain(until: time, bitsPerSecond: target.bitsPerSecond)
        let longest = min(bucket.room, Double(target.bitsPerSecond) * Self.firstSeconds)
        let fits = detail.bits(refinement.finest) * costFactor <= longest
        if refinement.isEmpty { return fits ? .together : .none }
        guard changes.contains(where: { refinement.reaches(beyond: $0) }) else { return .none }
        return fits ? .together : .apart
    }

    /// The next pass over a still picture, or nil where it has to wait: each begins shortly before the last has arrived.
    ///
    /// - Parameters:
    ///   - isCarried: goes with a change, and so has to be quick.
    ///   - detail: looks at an area of the picture.
    ///   - likeness: the same, for how it will look.
    mutating func pass(
        isCarried: Bool, at time: MediaTime, target: SendTarget, detail: (PixelRect) -> PictureDetail,
        likeness: (PixelRect) -> PictureLikeness
    ) -> PendingRefinement.Pass? {
        bucket.drain(until: time, bitsPerSecond: target.bitsPerSecond)
        if isCarried, !continuesRun(at: time) { return nil }
        if refinement.isEmpty {
            let pass = PendingRefinement.Pass(area: refinement.area, detail: .nothing, quantiser: Self.sharp)
            return bucket.room > 0 ? pass : nil
        }
        guard bucket.level < bucket.capacity / 4 else { return nil }
        return refinement.nextPass(
            isQuick: isCarried, bitsPerSecond: target.bitsPerSecond, level: bucket.level, detail: detail,
            likeness: likeness)
    }

    private func keyframe(_ detail: PictureDetail) -> Int {
        // A viewer waits: a full bucket delays it, but does not spoil it.
        let budget = min(max(bucket.room, bucket.capacity * 3 / 4), Double(Limits.keyframeBits))
        return finest(within: budget, excess: Self.excessOfKeyframe) { detail.bits($0) * costFactor }
    }

    /// While the bucket is full only what is small leaves: a key typed is not held up by the page before it.
    private func change(
        _ kind: Kind, _ detail: PictureDetail, _ refined: PictureDetail, at time: MediaTime, _ target: SendTarget
    ) -> Int? {
        let share = target.bitsPerFrame
        let isRun = continuesRun(at: time)
        let finest = finest(for: kind, isRun: isRun)
        let gain = isRun ? runGain : restGain
        let saved = isRun && target.favoursSharpness ? saved(at: time, target) : nil
        var quantiser =
            isRun
            ? steady(kind, detail, refined, finest: finest, share: max(share, saved?.bits ?? 0))
            : first(from: finest, within: max(min(bucket.room, Double(target.bitsPerSecond) * Self.firstSeconds), share)) {
                bits(detail, refined, gain: gain, quantiser: $0)
            }
        if let saved, saved.mayWait, quantiser > Self.clear { return nil }
        while bucket.room <= 0, bits(detail, refined, gain: gain, quantiser: quantiser) > share / 2 {
            // What is small would have to be sharpened by itself.
            guard kind != .apart, quantiser < Self.coarsest else { return nil }
            quantiser += 1
        }
        return quantiser
    }

    /// Where sharpness comes first, what the pictures left out would have taken is there for the next; until the run would
    /// be over.
    private func saved(at time: MediaTime, _ target: SendTarget) -> (bits: Double, mayWait: Bool)? {
        guard let lastChange else { return nil }
        let ticks = time.ticks - lastChange.ticks
        let next = ticks + Int64(Double(MediaTime.ticksPerSecond) / target.frameRate.framesPerSecond)
        return (Double(ticks) / Double(MediaTime.ticksPerSecond) * Double(target.bitsPerSecond), next < Self.rest)
    }

    /// In a run the bucket is kept nearly empty, because what is in it is delay; and steps are small. Where little of
    /// the picture is new, what is coarse stays and is worth sharpening: that may take half the bucket at a time.
    private func steady(
        _ kind: Kind, _ detail: PictureDetail, _ refined: PictureDetail, finest: Int, share: Double
    ) -> Int {
        let even = share + (bucket.capacity / 10 - bucket.level) / 3
        // A small change sharpens nothing beside it: what is coarse there needs the room for its passes. A pointer takes
        // hardly any of that.
        let isInTheWay = kind == .apart && !refinement.isEmpty
            && bits(detail, refined, gain: runGain, quantiser: finest) > share
        let sharpening = churn < Self.film && !isInTheWay ? bucket.capacity / 2 - bucket.level : 0
        let budget = max(share / 3, min(bucket.room, max(even, sharpening)))
        let wanted = self.finest(within: budget, from: finest, to: Self.coarsest) {
            bits(detail, refined, gain: runGain, quantiser: $0)
        }
        // What is small and no film has nothing to do with the picture before.
        let isFree = kind == .apart && churn < Self.film
        let down = isFree ? Self.coarsest : lastQuantiser > Self.coarse ? Self.stepsFromCoarse : Self.stepsFiner
        // A window that opens under a moving pointer is none of the run: it is to come soon, and is sharpened next.
        let isOpening = isFree
            && bits(detail, refined, gain: runGain, quantiser: lastQuantiser + Self.stepsCoarser) > bucket.capacity / 2
        let up = isOpening || bucket.level > bucket.capacity * Self.nearlyFull ? Self.coarsest : Self.stepsCoarser
        return min(max(wanted, lastQuantiser - down, finest), lastQuantiser + up, Self.coarsest)
    }

    /// What stands around a change would be coded anew by a finer picture, and is not quite still for an equal one.
    private func finest(for kind: Kind, isRun: Bool) -> Int {
        let isFilm = isRun && churn > Self.film
        switch kind {
        case .apart: return isFilm ? Self.finestInFilm : refinement.finest
        case .change where isFilm: return Self.finestInFilm
        case .change where !isRun: return Self.sharp
        case .keyframe, .change, .repetition, .changeOfPart, .carriedPass, .outline, .back:
            return isFilm && refinement.standing == PendingRefinement.settled ? Self.finestInFilm : refinement.standing
        }
    }

    /// How long a new page may take at first.
    private static let firstSeconds = 0.1

    /// The finest that fits, legible or not: it is seen at once, and is sharpened next.
    private func first(from finest: Int, within budget: Double, _ bits: (Int) -> Double) -> Int {
        (finest...Self.coarsest).first { bits($0) <= budget } ?? Self.coarsest
    }

    // MARK: What a picture will take

    private func bits(_ detail: PictureDetail, _ refined: PictureDetail, gain: Double, quantiser: Int) -> Double {
        detail.bits(quantiser) * costFactor * gain + refinement.bitsToSharpen(refined, to: quantiser)
    }

    /// The finest quantiser that fits, between sharp and legible; coarser ones only for what would be far too large.
    private func finest(
        within budget: Double, from start: Int = sharp, to limit: Int = legible, excess: Double = 2,
        _ bits: (Int) -> Double
    ) -> Int {
        let fitting = (start...limit).first { bits($0) <= budget }
        if let fitting { return fitting }
        return (limit...Self.coarsest).first { bits($0) <= excess * budget } ?? Self.coarsest
    }

    /// Whether a change now belongs to motion.
    func continuesRun(at time: MediaTime) -> Bool {
        lastChange.map { time.ticks - $0.ticks < Self.rest } ?? false
    }

    // MARK: What it took

    /// Whether a change came out so far beyond what was foretold that a keyframe in its place is the smaller harm.
    func isExcessive(bits: Int) -> Bool { Double(bits) > 2 * bucket.capacity }

    /// Learns from a picture that is sent.
    /// - Returns: the quantiser of the picture as a whole.
    mutating func coded(_ kind: Kind, _ picture: Coded) -> Double {
        bucket.add(picture.bits)
        lastQuantiser = picture.quantiser
        switch kind {
        case .keyframe: refinement.restart(picture.area, quantiser: picture.quantiser)
        case .repetition: refinement.passed(picture.area, picture.refined, quantiser: picture.quantiser, bits: picture.bits)
        case .carriedPass(let changes):
            refinement.carried(changes, quantiser: picture.quantiser)
            refinement.passed(picture.area, picture.refined, quantiser: picture.quantiser, bits: picture.bits)
            lastChange = picture.time
        case .change, .changeOfPart:
            let gain = learn(picture)
            // A finer picture leaves nothing behind that is coarser than itself; another adds to what was coarse.
            let share = picture.quantiser < refinement.quantiser ? max(gain, refinement.share) : gain + refinement.share
            refinement.changed(picture.area, quantiser: picture.quantiser, share: share)
        case .back(let left, let missing):
            _ = learn(picture)
            refinement.goBack(to: left, changed: picture.area, missing: missing, quantiser: picture.quantiser)
        case .outline:
            learn(restGain, churn: Double(picture.area.area) / Double(pictureArea), at: picture.time)
            lastChange = picture.time
            refinement.outlined(picture.area)
        case .apart:
            let isMotion = continuesRun(at: picture.time)
                && lastApart.intersection(picture.area).area * 2 > picture.area.area
            lastApart = picture.area
            refinement.changedApart(picture.areas, quantiser: picture.quantiser, share: learn(picture), isMotion: isMotion)
        }
        return refinement.coarseness(of: picture.quantiser)
    }

    /// How much of a change had to be coded anew.
    private mutating func learn(_ picture: Coded) -> Double {
        guard !picture.changed.isNothing else {
            lastChange = picture.time
            return restGain
        }
        let expected = picture.changed.bits(picture.quantiser) * costFactor
        let rest = Double(picture.bits) - refinement.bitsToSharpen(picture.refined, to: picture.quantiser)
        let gain = min(Self.gains.upperBound, max(Self.gains.lowerBound, rest / max(1, expected)))
        learn(gain, churn: gain * Double(picture.area.area) / Double(pictureArea), at: picture.time)
        lastChange = picture.time
        return gain
    }

    private mutating func learn(_ gain: Double, churn newChurn: Double, at time: MediaTime) {
        if continuesRun(at: time) {
            runGain = (runGain + gain) / 2
            churn += (newChurn - churn) / 4
            runLength += 1
        } else {
            churn = newChurn
            let bounds = Self.restGains
            restGain = min(bounds.upperBound, max(bounds.lowerBound, (restGain + gain) / 2))
            runGain = gain
            runLength = 1
        }
    }
}

extension SendTarget {
    fileprivate var bitsPerFrame: Double { Double(bitsPerSecond) / frameRate.framesPerSecond }
}
