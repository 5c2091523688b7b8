import CShims
import Media

/// Notices where a run has come to rest though its pictures are painted on and on, as a paused player and a game in a menu
/// do.
///
/// A look at all rows of each picture is more than motion should pay. A glance at a few of them, some hundredths of a
/// millisecond, says when one is worth it.
struct Standstill {
    private var glance: UInt64?
    private var repeats = 0

    /// Takes in the next picture of a run.
    /// - Returns: whether it has been the same for so long, as far as a glance tells.
    mutating func isLikely(after picture: I420Picture) -> Bool {
        let glance = Self.glance(at: picture)
        repeats = glance == self.glance ? repeats + 1 : 0
        self.glance = glance
        return repeats >= Self.leastRepeats
    }

    private static func glance(at picture: I420Picture) -> UInt64 {
        picture.withPlanes { luma, _, _ in
            var number: UInt64 = 0
            for row in stride(from: 0, to: picture.size.height, by: max(1, picture.size.height / rows)) {
                number = shim_fingerprint(luma + row * picture.lumaStride, picture.size.width, number, .max)
            }
            return number
        }
    }

    private static let rows = 48
    /// A film whose pictures are each shown three times over still moves.
    private static let leastRepeats = 3
}
