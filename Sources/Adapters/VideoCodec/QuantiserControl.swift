import Media
import Timebase

/// Chooses each picture's quantiser, so that what leaves never exceeds the target by more than a bucket's worth.
///
/// The bucket is what is under way: pictures fill it, the target's rate empties it. A screen rests and then changes at
/// once, so the whole bucket may go into one picture. What a picture will take is foretold from its detail, times a
/// gain: how much of such detail the pictures before had to be coded anew (scrolled text a twentieth, film a third, a
/// new page all of it).
///
///     change after a rest ──► all that the bucket holds, no coarser than legible
///     change in a run     ──► a frame's share, by the gain of the run
///     the same picture    ──► as fine as fits; waits where that would gain little
struct QuantiserControl {
    enum Kind {
        case keyframe, change, repetition
    }

    /// Finest; text looks like the original from here on (luma SSIM 0.99 and more), and each step costs a tenth more.
    static let sharp = 26
    /// In film, where there are bits for it: nothing stays that would be sharpened once more.
    private static let finestInFilm = 20
    /// Text can be read up to here.
    static let legible = 44
    static let coarsest = 51
    /// The gain assumed after a rest is between these; it follows what the changes before turned out to be.
    private static let restGains = 0.2...1.0
    /// The churn from which on a run is film: what it blurs is gone with the next frame.
    static let film = 0.12
    /// A gap after which a change is not a continuation: five frames at 30 fps.
    private static let rest = MediaTime.ticksPerSecond * 150 / 1000

    private let costFactor: Double
    private let pictureArea: Int
    private var bucket = BitBucket()
    /// The area coarser than `sharp`, how coarse, and how much of its detail is.
    private(set) var blurred = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var blurredQuantiser = QuantiserControl.sharp
    private var blurredShare = 0.0
    private var restGain = 1.0
    private var runGain = 1.0
    /// How much of the whole picture each frame of the run had to be coded anew.
    private var churn = 1.0
    private var runLength = 0
    private var lastChange: MediaTime?
    private var lastQuantiser = QuantiserControl.sharp

    /// - Parameter costFactor: what the profile's entropy coder makes of a bit of the baseline's.
    init(pictureSize: PixelSize, costFactor: Double) {
        self.costFactor = costFactor
        pictureArea = pictureSize.area
    }

    /// How much of the picture each frame of a run is new: little where text scrolls, a good part in film; nil outside
    /// of a run.
    func churnOfRun(at time: MediaTime) -> Double? { continuesRun(at: time) && runLength > 4 ? churn : nil }

    /// The quantiser for a picture, or nil where it has to wait for the bucket.
    ///
    /// - Parameters:
    ///   - changed: the detail of what changed; of everything, for a keyframe.
    ///   - blurred: that of the blurred area.
    mutating func quantiser(
        for kind: Kind, changed: PictureDetail, blurred: PictureDetail, at time: MediaTime, target: SendTarget
    ) -> Int? {
        bucket.drain(until: time, bitsPerSecond: target.bitsPerSecond)
        switch kind {
        case .keyframe: return keyframe(changed)
        case .change: return change(changed, blurred, at: time, target)
        case .repetition: return repetition(blurred, target)
        }
    }

    private func keyframe(_ detail: PictureDetail) -> Int {
        // A viewer waits: a full bucket delays it, but does not spoil it.
        let budget = min(max(bucket.room, bucket.capacity * 3 / 4), Double(Limits.keyframeBits))
        return finest(within: budget, excess: 1.2) { detail.bits($0) * costFactor }
    }

    /// While the bucket is full only what is small leaves: a key typed is not held up by the page before it.
    private func change(
        _ detail: PictureDetail, _ blurred: PictureDetail, at time: MediaTime, _ target: SendTarget
    ) -> Int? {
        let share = Double(target.bitsPerSecond) / target.frameRate.framesPerSecond
        let isRun = continuesRun(at: time)
        let gain = isRun ? runGain : restGain
        let quantiser =
            isRun
            ? steady(detail, blurred, share: share)
            : first(within: max(min(bucket.room, bucket.capacity * Self.firstShare), share)) {
                bits(detail, blurred, gain: gain, quantiser: $0)
            }
        if bucket.room <= 0, bits(detail, blurred, gain: gain, quantiser: quantiser) > share / 2 { return nil }
        return quantiser
    }

    /// In a run the bucket is kept nearly empty, because what is in it is delay; and steps are small. Where little of
    /// the picture is new, what is blurred stays and is worth sharpening: that may take half the bucket at a time.
    private func steady(_ detail: PictureDetail, _ blurred: PictureDetail, share: Double) -> Int {
        let finest = churn > Self.film ? Self.finestInFilm : Self.sharp
        let even = share + (bucket.capacity / 10 - bucket.level) / 3
        let sharpening = churn < Self.film ? bucket.capacity / 2 - bucket.level : 0
        let budget = max(share / 3, min(bucket.room, max(even, sharpening)))
        let wanted = self.finest(within: budget, from: finest, to: Self.coarsest) {
            bits(detail, blurred, gain: runGain, quantiser: $0)
        }
        let down = lastQuantiser > 30 ? 8 : 2
        let up = bucket.level > bucket.capacity * 0.7 ? Self.coarsest : 6
        return min(max(wanted, lastQuantiser - down, finest), lastQuantiser + up, Self.coarsest)
    }

    /// Few passes, each begun shortly before the last has arrived: a key typed meanwhile waits for one of them at most,
    /// and what was shown before stays among the references.
    private func repetition(_ blurred: PictureDetail, _ target: SendTarget) -> Int? {
        guard blurredQuantiser > Self.sharp else { return bucket.room > 0 ? Self.sharp : nil }
        guard bucket.level < bucket.capacity / 4 else { return nil }
        let budget = Double(target.bitsPerSecond) * Self.passSeconds - bucket.level
        let wanted = finest(within: budget) { sharpening(blurred, to: $0) }
        return min(wanted, max(Self.sharp, blurredQuantiser - Self.leastStep))
    }

    private static let leastStep = 4
    private static let passSeconds = 0.5
    /// Of the bucket what a new page may take at first.
    private static let firstShare = 0.6

    /// The finest that fits, legible or not: it is seen at once, and is sharpened next.
    private func first(within budget: Double, _ bits: (Int) -> Double) -> Int {
        (Self.sharp...Self.coarsest).first { bits($0) <= budget } ?? Self.coarsest
    }

    // MARK: What a picture will take

    private func bits(_ detail: PictureDetail, _ blurred: PictureDetail, gain: Double, quantiser: Int) -> Double {
        detail.bits(quantiser) * costFactor * gain + sharpening(blurred, to: quantiser)
    }

    /// A picture at a finer quantiser also sharpens what was left blurred. What is there already saves the less the
    /// larger the step.
    private func sharpening(_ blurred: PictureDetail, to quantiser: Int) -> Double {
        let step = blurredQuantiser - quantiser
        guard step > 0, !blurred.isNothing else { return 0 }
        let kept = 1 - min(0.3, 0.04 * Double(step))
        return costFactor * blurredShare * max(0, blurred.bits(quantiser) - kept * blurred.bits(blurredQuantiser))
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
    mutating func coded(
        _ kind: Kind, area: PixelRect, changed: PictureDetail, blurred: PictureDetail, bits: Int, quantiser: Int,
        at time: MediaTime
    ) {
        bucket.add(bits)
        switch kind {
        case .keyframe:
            setBlurred(area, quantiser: quantiser, share: 1)
        case .change:
            let expected = changed.bits(quantiser) * costFactor
            let rest = Double(bits) - sharpening(blurred, to: quantiser)
            let gain = min(2, max(0.01, rest / max(1, expected)))
            // A finer picture leaves nothing behind that is coarser than itself; another adds to what was blurred.
            let share = quantiser < blurredQuantiser ? max(gain, blurredShare) : gain + blurredShare
            setBlurred(self.blurred.union(area), quantiser: quantiser, share: share)
            learn(gain, churn: gain * Double(area.area) / Double(pictureArea), at: time)
            lastChange = time
        case .repetition:
            setBlurred(self.blurred, quantiser: quantiser, share: blurredShare)
        }
        lastQuantiser = quantiser
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

    private mutating func setBlurred(_ area: PixelRect, quantiser: Int, share: Double) {
        let isSharp = quantiser <= Self.sharp
        blurred = isSharp ? PixelRect(x: 0, y: 0, width: 0, height: 0) : area
        blurredQuantiser = max(Self.sharp, quantiser)
        blurredShare = isSharp ? 0 : min(1, share)
    }
}
