import Media

/// What of the picture was coded coarsely and waits to be sharpened, and by which passes it is.
///
///     a quick pass is enough ──► all of it, as fine as fits
///     one pass is            ──► in parts from its top, until it looks like the original
///     more                   ──► in parts from its top, until all is clear; then once more
struct PendingRefinement: Equatable {
    /// A part of a still picture that is coded once more.
    struct Pass {
        let area: PixelRect
        let detail: PictureDetail
        let quantiser: Int
    }

    /// Finest; text looks like the original from here on, and each step costs a tenth more.
    static let sharp = 26
    /// From here on nothing is sharpened any more. What takes long is left a little coarser, where it looks like the
    /// original all the same.
    static let settled = 27
    /// Luma SSIM of a page that is at least half full: what looks like the original, and what is clear.
    private static let original = 0.991
    private static let clear = 0.982
    private static let lostInParts = 0.003
    /// The quantiser that leaves no more than an outline.
    private static let outline = 63
    /// The part of what is there already that saves nothing, for each step by which it gets finer.
    private static let lostPerStep = 0.04
    /// That part, however large the step: most of what is there saves something.
    private static let mostLost = 0.3

    private struct Debt: Equatable {
        var area = PixelRect.nothing
        var quantiser = PendingRefinement.settled
        var share = 0.0

        mutating func add(_ more: PixelRect, _ coarser: Int, share coarse: Double = 1) {
            (area, quantiser, share) = (area.union(more), max(quantiser, coarser), max(share, coarse))
        }
    }

    /// Passes over all of the coarse area.
    private struct Round: Equatable {
        let area: PixelRect
        let quantiser: Int
        var parts: Int
        let isLast: Bool
    }

    /// The coarsest that anything was left at for good.
    private var left = PendingRefinement.sharp
    /// What is coarser than `settled`; empty where all is sharp.
    private(set) var area = PixelRect.nothing
    private(set) var quantiser = PendingRefinement.settled
    /// How much of its detail was coded coarsely; the rest was there before.
    private(set) var share = 0.0
    private var round: Round?
    /// Coded as coarsely as the passes, and outside of what they cover: it is its turn afterwards.
    private var owed = Debt()
    private let pictureArea: Int
    private let costFactor: Double

    init(pictureSize: PixelSize, costFactor: Double) {
        pictureArea = pictureSize.area
        self.costFactor = costFactor
    }

    var isEmpty: Bool { area.isEmpty }

    /// What is not coarse would be coded anew below this quantiser.
    var standing: Int { max(Self.settled, left, round?.quantiser ?? 0) }

    /// What a change is coded at, at best: as fine as the present passes leave it.
    var finest: Int { round?.quantiser ?? Self.sharp }

    /// Whether something outside of an area is coarse.
    func reaches(beyond area: PixelRect) -> Bool {
        !isEmpty && !area.onMacroblocks.contains(self.area)
    }

    /// The quantiser of the whole picture: what is coarse counts by its area. Each pass makes another of it, however small
    /// that is: one that changes nothing counts as one that gained nothing.
    func coarseness(of quantiser: Int) -> Double {
        if isEmpty { return Double(min(quantiser, Self.settled)) }
        let share = Double(area.area) / Double(pictureArea)
        let coarse = min(self.quantiser, QuantiserControl.coarsest)
        return Double(Self.settled) + max(0.001, share * Double(coarse - Self.settled))
    }

    // MARK: What becomes of it

    /// A change was coded, and all around it sharpened that was coarser.
    mutating func changed(_ changed: PixelRect, quantiser: Int, share: Double) {
        set(area.union(changed), quantiser: quantiser, share: share)
    }

    /// A change was coded, and all around it left as it was.
    ///
    /// - Parameter isMotion: it changes again and again, and has its turn last.
    mutating func changedApart(_ changed: [PixelRect], quantiser: Int, share: Double, isMotion: Bool = false) {
        if isMotion, quantiser > Self.settled, changed.contains(where: { reaches(beyond: $0) }) {
            changed.forEach { owed.add($0, quantiser, share: share) }
        } else if quantiser > max(Self.settled, finest) {
            let all = changed.reduce(area) { $0.union($1) }
            set(all, quantiser: max(self.quantiser, quantiser), share: max(self.share, share))
        } else if quantiser > Self.settled {
            carried(changed, quantiser: quantiser)
        } else if !changed.allSatisfy({ reaches(beyond: $0) }) {
            clear()
        }
    }

    /// Nothing of a change was coded but its outline.
    mutating func outlined(_ changed: PixelRect) {
        set(area.union(changed), quantiser: Self.outline, share: 1)
    }

    /// Changes that went with a pass.
    mutating func carried(_ changed: [PixelRect], quantiser: Int) {
        guard quantiser > Self.settled else { return }
        let covered = round?.area ?? area
        for rect in changed where !covered.contains(rect.onMacroblocks) {
            owed.add(rect, quantiser)
        }
    }

    /// All of the picture was coded anew.
    mutating func restart(_ area: PixelRect, quantiser: Int) {
        owed = Debt()
        set(area, quantiser: quantiser, share: 1)
    }

    /// What changed is as it was left then, but for what was missing and was coded now.
    mutating func goBack(to before: PendingRefinement?, changed: PixelRect, missing: PixelRect, quantiser: Int) {
        let debt = self.debt
        if let before {
            self = before
            round = nil
        } else {
            (owed, round) = (Debt(), nil)
            clear()
        }
        if quantiser > Self.settled, !missing.isEmpty {
            set(area.union(missing), quantiser: max(self.quantiser, quantiser), share: 1)
        }
        // What lies beside it is as it was a moment ago.
        if !changed.onMacroblocks.contains(debt.area) { owe(debt) }
    }

    /// All that is not sharp, the upper parts of a round that is to be followed by another among it.
    private var debt: Debt {
        var debt = owed
        if let round, !round.isLast { debt.add(round.area, round.quantiser, share: share) }
        if !isEmpty { debt.add(area, quantiser, share: share) }
        return debt
    }

    private mutating func owe(_ debt: Debt) {
        if debt.area.isEmpty { return }
        owed.add(debt.area, debt.quantiser, share: debt.share)
        if isEmpty { takeUpDebt() }
    }

    private mutating func takeUpDebt() {
        guard !owed.area.isEmpty else { return }
        (area, quantiser, share) = (owed.area, owed.quantiser, owed.share)
        owed = Debt()
    }

    private mutating func set(_ area: PixelRect, quantiser: Int, share: Double) {
        // What a round has been over is to be gone over again, though the rest of it begins anew.
        if let round, !round.isLast, quantiser > Self.settled, !area.onMacroblocks.contains(round.area) {
            owed.add(round.area, round.quantiser, share: self.share)
        }
        let isSharp = quantiser <= Self.settled || area.isEmpty
        self.area = isSharp ? .nothing : area
        self.quantiser = max(Self.settled, quantiser)
        self.share = isSharp ? 0 : min(1, share)
        round = nil
        guard isSharp else { return }
        leave(area, at: quantiser)
        takeUpDebt()
    }

    /// An area stays as it is now.
    private mutating func leave(_ area: PixelRect, at quantiser: Int) {
        left = area.area * 10 >= pictureArea * 9 ? quantiser : max(left, quantiser)
    }

    /// All is as sharp as it gets.
    mutating func clear() { set(.nothing, quantiser: Self.settled, share: 0) }

    /// A pass leaves the rows below it; what it took tells what they will.
    mutating func passed(_ passed: PixelRect, _ detail: PictureDetail, quantiser: Int, bits: Int) {
        let foretold = bitsToSharpen(detail, to: quantiser)
        if foretold > 0 { share = min(1, share * min(2, max(0.5, Double(bits) / foretold))) }
        let rest = area.below(passed)
        guard rest.isEmpty else { return area = rest }
        if let round, !round.isLast { return set(round.area, quantiser: round.quantiser, share: share) }
        leave(round?.area ?? passed, at: quantiser)
        clear()
    }

    // MARK: Passes

    /// What it takes to sharpen an area. What is there already saves the less the larger the step.
    func bitsToSharpen(_ detail: PictureDetail, to finer: Int) -> Double {
        let step = quantiser - finer
        guard step > 0, !detail.isNothing else { return 0 }
        let kept = 1 - min(Self.mostLost, Self.lostPerStep * Double(step))
        return costFactor * share * max(0, detail.bits(finer) - kept * detail.bits(quantiser))
    }

    /// The next pass: few of them, because a key typed meanwhile waits for one, and because what was shown before has
    /// to stay among the references. What is read first is sharp when all of it would still be coarse.
    ///
    /// - Parameters:
    ///   - isQuick: a change goes with it, and more wait behind it.
    ///   - level: bits still under way.
    ///   - detail: looks at an area of the picture.
    ///   - likeness: the same, for how it will look.
    mutating func nextPass(
        isQuick: Bool, bitsPerSecond: Int, level: Double, detail: (PixelRect) -> PictureDetail,
        likeness: (PixelRect) -> PictureLikeness
    ) -> Pass {
        let rate = Double(bitsPerSecond)
        let whole = detail(area)
        let longest = isQuick ? Self.carriedSeconds : Self.passSeconds
        let quick = rate * min(longest, Self.quickPassSeconds) - level
        if round == nil, let finest = (Self.sharp..<Self.settled).first(where: { bitsToSharpen(whole, to: $0) <= quick }) {
            return Pass(area: area, detail: whole, quantiser: finest)
        }
        var round = round ?? begin(whole, likeness(area), rate)
        let seconds = bitsToSharpen(whole, to: round.quantiser) / rate
        round.parts = min(max(1, round.parts, Int((seconds / longest).rounded(.up))), Self.mostParts)
        let area = round.parts > 1 ? top(1 / Double(round.parts), of: whole, round.quantiser, detail) : area
        round.parts -= 1
        self.round = round
        return Pass(area: area, detail: area == self.area ? whole : detail(area), quantiser: round.quantiser)
    }

    /// A round that gets all of it like the original where that takes one pass, else clear.
    private func begin(_ whole: PictureDetail, _ likeness: PictureLikeness, _ rate: Double) -> Round {
        let last = max(Self.settled, likeness.quantiser(for: Self.original))
        let seconds = bitsToSharpen(whole, to: last) / rate
        // Many parts find more of themselves in those above, which takes fewer bits and loses a little.
        let first = likeness.quantiser(for: Self.clear + (seconds > 2 * Self.passSeconds ? Self.lostInParts : 0))
        let isClear = quantiser <= first
        let isLast = isClear || seconds <= Self.passSeconds
        // What is clear already takes a finer quantiser to look as good: the differences left are small.
        let chosen = isClear ? last - Self.regained : isLast ? last : first
        let parts = isClear ? 1 : Self.parts(seconds: bitsToSharpen(whole, to: chosen) / rate)
        return Round(area: area, quantiser: min(chosen, quantiser - 1), parts: parts, isLast: isLast)
    }

    /// An even number: the upper half, which is looked at first, is whole as soon as it can be.
    private static func parts(seconds: Double) -> Int {
        seconds <= passSeconds / 2 ? 1 : 2 * Int((seconds / passSeconds / 2).rounded(.up))
    }

    private static let regained = 2
    private static let passSeconds = 0.75
    /// What moves meanwhile must not stand still for longer.
    private static let carriedSeconds = 0.15
    /// A very slow link sharpens in longer passes.
    private static let mostParts = 8
    /// What can be had in so short a time is made as sharp as anything.
    private static let quickPassSeconds = 0.35

    /// The rows that hold so much of the detail.
    private func top(
        _ share: Double, of whole: PictureDetail, _ quantiser: Int, _ detail: (PixelRect) -> PictureDetail
    ) -> PixelRect {
        let wanted = whole.bits(quantiser) * share
        var (low, high) = (1, max(1, (area.height + 15) / 16))
        while low < high {
            let middle = (low + high) / 2
            if detail(area.top(rows: middle)).bits(quantiser) < wanted { low = middle + 1 } else { high = middle }
        }
        return area.top(rows: low)
    }
}
