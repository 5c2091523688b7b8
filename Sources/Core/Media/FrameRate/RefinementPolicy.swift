/// Decides when an unchanged picture is encoded once more, to get sharper, and when it is sharp enough to stop.
///
///     picture ──► sharp: rest
///        └─ not sharp ──► pass ──► sharper … ──► sharp, or nothing gained, or passes used up: rest
package struct RefinementPolicy: Sendable {
    /// The quantiser that stands for "nothing was encoded": the encoder had no bits to spend. Above any real one.
    package static let nothingEncoded = 52.0
    /// Passes over the present picture, and those of all pictures so far.
    package private(set) var passes = 0
    package private(set) var totalPasses = 0
    private var idlePasses = 0
    private var quantiser = 0.0

    package init() {}

    /// Whether the last picture should be encoded again.
    package var wantsPass: Bool {
        quantiser > MediaLimits.sharpQuantiser && passes < MediaLimits.refinementPasses
            && idlePasses < MediaLimits.idleRefinementPasses
    }

    /// What the encoder made of a picture that the source changed, or of a pass over the same one.
    package mutating func encoded(quantiser: Double, isNewPicture: Bool) {
        if isNewPicture {
            passes = 0
            idlePasses = 0
            self.quantiser = quantiser
        } else if quantiser < Self.nothingEncoded {
            passes += 1
            totalPasses += 1
            // Where all gets coarser another part has its turn, of which nothing was counted before.
            idlePasses = quantiser == self.quantiser ? idlePasses + 1 : 0
            self.quantiser = quantiser
        }
    }

    /// The present picture was sent anew, for a viewer that lacks one: coarser than before, and to be sharpened again.
    package mutating func keyframeMade() {
        passes = 0
        idlePasses = 0
    }

    package mutating func reset() {
        passes = 0
        idlePasses = 0
        quantiser = 0
    }
}
