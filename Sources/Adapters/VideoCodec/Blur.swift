import Media

/// What of the picture was coded coarsely and waits to be sharpened, and by which passes it is.
///
///     a quick pass is enough ──► all of it, as fine as fits
///     a page                 ──► in parts from its top, each `settled`
///     a page, slow link      ──► in parts, each `readable`; then once more, `settled`
struct Blur {
    /// A part of a still picture that is coded once more.
    struct Pass {
        let area: PixelRect
        let detail: PictureDetail
        let quantiser: Int
    }

    /// Finest; text looks like the original from here on, and each step costs a tenth more.
    static let sharp = 26
    /// What takes longer is sharpened up to here: luma SSIM is 0.99 then, and a tenth of the bytes is saved.
    static let settled = 28
    /// What takes much longer is first sharpened up to here.
    private static let readable = 31
    private static let nothing = PixelRect(x: 0, y: 0, width: 0, height: 0)

    /// Passes over all of the blurred area.
    private struct Round {
        let area: PixelRect
        let quantiser: Int
        var parts: Int
    }

    /// What is coarser than `settled`; empty where all is sharp.
    private(set) var area = Blur.nothing
    private(set) var quantiser = Blur.settled
    /// How much of its detail was coded coarsely; the rest was there before.
    private(set) var share = 0.0
    private var round: Round?
    private let costFactor: Double

    init(costFactor: Double) {
        self.costFactor = costFactor
    }

    var isEmpty: Bool { area.isEmpty }

    /// Whether something outside of an area is blurred.
    func reaches(beyond area: PixelRect) -> Bool {
        let rows = area.onMacroblocks
        return !isEmpty && (self.area.y < rows.y || self.area.maxY > rows.maxY)
    }

    /// The quantiser of the whole picture: what is blurred counts by its area.
    func coarseness(of quantiser: Int, pictureArea: Int) -> Double {
        if isEmpty { return Double(min(quantiser, Self.settled)) }
        let share = Double(area.area) / Double(pictureArea)
        return Double(Self.settled) + max(0.1, share * Double(self.quantiser - Self.settled))
    }

    // MARK: What becomes of it

    /// A change was coded, and all around it sharpened that was coarser.
    mutating func changed(_ changed: PixelRect, quantiser: Int, share: Double) {
        set(area.union(changed), quantiser: quantiser, share: share)
    }

    /// A change was coded, and all around it left as it was.
    mutating func changedApart(_ changed: PixelRect, quantiser: Int) {
        let isBlurred = quantiser > Self.settled
        set(isBlurred ? area.union(changed) : area, quantiser: max(self.quantiser, quantiser), share: share)
    }

    mutating func set(_ area: PixelRect, quantiser: Int, share: Double) {
        let isSharp = quantiser <= Self.settled || area.isEmpty
        self.area = isSharp ? Self.nothing : area
        self.quantiser = max(Self.settled, quantiser)
        self.share = isSharp ? 0 : min(1, share)
        round = nil
    }

    /// A pass leaves the rows below it; what it took tells what they will.
    mutating func passed(_ passed: PixelRect, _ detail: PictureDetail, quantiser: Int, bits: Int) {
        let foretold = bitsToSharpen(detail, to: quantiser)
        if foretold > 0 { share = min(1, share * min(2, max(0.5, Double(bits) / foretold))) }
        let rest = area.below(passed)
        if rest.isEmpty {
            set(round?.area ?? passed, quantiser: max(quantiser, round?.quantiser ?? 0), share: share)
        } else {
            area = rest
        }
    }

    // MARK: Passes

    /// What it takes to sharpen an area. What is there already saves the less the larger the step.
    func bitsToSharpen(_ detail: PictureDetail, to finer: Int) -> Double {
        let step = quantiser - finer
        guard step > 0, !detail.isNothing else { return 0 }
        let kept = 1 - min(0.3, 0.04 * Double(step))
        return costFactor * share * max(0, detail.bits(finer) - kept * detail.bits(quantiser))
    }

    /// The next pass: few of them, because a key typed meanwhile waits for one, and because what was shown before has
    /// to stay among the references. What is read first is sharp when all of it would still be blurred.
    ///
    /// - Parameters:
    ///   - level: bits still under way.
    ///   - detail: looks at an area of the picture.
    mutating func nextPass(
        bitsPerSecond: Int, level: Double, detail: (PixelRect) -> PictureDetail
    ) -> Pass {
        let rate = Double(bitsPerSecond)
        let whole = detail(area)
        let quick = rate * Self.quickPassSeconds - level
        if let quantiser = (Self.sharp..<Self.settled).first(where: { bitsToSharpen(whole, to: $0) <= quick }) {
            return Pass(area: area, detail: whole, quantiser: quantiser)
        }
        let parts = Int((bitsToSharpen(whole, to: Self.settled) / rate / Self.passSeconds).rounded(.up))
        var round = round ?? begin(parts: parts, seconds: bitsToSharpen(whole, to: Self.settled) / rate)
        round.parts = min(max(1, round.parts, parts), Self.mostParts)
        let area = round.parts > 1 ? top(1 / Double(round.parts), of: whole, detail) : area
        round.parts -= 1
        self.round = round
        return Pass(area: area, detail: area == self.area ? whole : detail(area), quantiser: round.quantiser)
    }

    private func begin(parts: Int, seconds: Double) -> Round {
        let isSlow = parts > 2 && quantiser > Self.readable + 2
        return Round(
            area: area, quantiser: isSlow ? Self.readable : Self.settled,
            parts: seconds > Self.passSeconds / 2 ? 2 : 1)
    }

    private static let passSeconds = 0.75
    /// A very slow link sharpens in longer passes.
    private static let mostParts = 8
    /// What can be had in so short a time is made as sharp as anything.
    private static let quickPassSeconds = 0.35

    /// The rows that hold so much of the detail.
    private func top(_ share: Double, of whole: PictureDetail, _ detail: (PixelRect) -> PictureDetail) -> PixelRect {
        let wanted = whole.bits(Self.settled) * share
        var (low, high) = (1, max(1, (area.height + 15) / 16))
        while low < high {
            let middle = (low + high) / 2
            if detail(area.top(rows: middle)).bits(Self.settled) < wanted { low = middle + 1 } else { high = middle }
        }
        return area.top(rows: low)
    }
}
