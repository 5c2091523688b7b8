import CShims
import Glibc
import Media

/// How much like itself an area of a picture will look at each quantiser: its luma SSIM, foretold from the area alone.
///
/// Faint lines go first, letters last: a page of black text looks right at a quantiser at which a spreadsheet has lost
/// its grid. Right within 0.002 for pages of text from quantiser 24 to 35.
///
/// What is blank looks like itself whatever is left of the rest. It counts for no more than that, as on a page that is
/// half full: else text would be left the coarser, the less there is of it.
struct PictureLikeness {
    /// No coarser: colours would suffer, which nobody looks at here.
    private static let quantisers = Array(24...35)
    private let likeness: [Double]

    /// Looks at a picture's area.
    init(of picture: I420Picture, in area: PixelRect) {
        let area = area.onMacroblocks.intersection(PixelRect(picture.size))
        let blocks = area.area / 64
        // Every block of a few thousand is enough for a mean within 0.0005, or 0.001 where few hold
        // anything; the stride shares no factor with the row, so that all columns are seen.
        var stride = max(1, blocks / 4000) | 1
        while stride > 1, !areCoprime(stride, area.width / 8) { stride += 2 }
        let steps = Self.quantisers.map { Float(Self.lossyStep * exp2(Double($0) / 6)) }
        var likeness = [Double](repeating: 1, count: steps.count)
        picture.withPlanes { luma, _, _ in
            shim_picture_likeness(
                luma + area.y * picture.lumaStride + area.x, picture.lumaStride, Int32(area.width),
                Int32(area.height), Int32(stride), steps, Int32(steps.count), &likeness)
        }
        self.likeness = likeness
    }

    /// The coarsest quantiser at which the area looks so much like itself.
    func quantiser(for wanted: Double) -> Int {
        let last = likeness.lastIndex { $0 >= wanted } ?? 0
        return Self.quantisers[last]
    }

    /// Fitted: a twentieth above the quantiser's step, 0.625 · 2^(QP / 6).
    private static let lossyStep = 0.656
}
