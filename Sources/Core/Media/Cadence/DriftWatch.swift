/// Tells a rate from the one a thousandth slower, by how late the least late of its pictures are in the long run. Times are
/// nanoseconds.
///
/// A picture is shown at the first tick of its display at which it is due, so at its own rate it is late by less than one
/// period of the display, however long it plays and however that beats with the display's. At the other rate its pictures
/// get later, or less late, by a millisecond each second. So a rate is excluded once they have strayed by more than the
/// longest period of a display; sooner, a display that is a little slower than it is called may show the same.
struct DriftWatch: Sendable {
    enum Finding {
        case nothing, isOther, isNeither
    }

    /// The picture that it began with, and when that was due.
    private let index: Int64
    private let due: Double
    /// A picture's duration at the nominal rate.
    private let period: Double
    /// How late the least late pictures of the blocks were at the nominal rate, and at the fractional one.
    private var nominal = 0.0...0.0
    private var fractional = 0.0...0.0
    /// How late those of the last block were at the nominal rate, and by how much a fractional one would have drifted.
    private var late = 0.0
    private var drift = 0.0
    /// By how much two blocks differed at most: a step of the display, if one was seen.
    private var step = 0.0

    init(at index: Int64, due: Double, of rate: CadenceRate) {
        self.index = index
        self.due = due
        period = CadenceRate(rate.nominal).period
    }

    /// - Parameter due: when a picture was due, going by the least late of its block.
    mutating func saw(_ index: Int64, due: Double) {
        let elapsed = Double(index - self.index) * period
        let late = due - self.due - elapsed
        step = max(step, abs(late - self.late))
        self.late = late
        drift = elapsed / 1000
        nominal = nominal.reaching(late)
        fractional = fractional.reaching(late - drift)
    }

    /// Whether what is taken for `rate` is the other one. Where the display's steps do not explain how far that strays, it is
    /// neither: a display of 59.95 Hz shows 59.95 of 60.
    func finding(of rate: CadenceRate) -> Finding {
        let (own, other) = rate.isFractional ? (fractional, nominal) : (nominal, fractional)
        guard own.width > CadenceLimits.strays else { return .nothing }
        let slow = rate.nominal > 30 ? 0 : CadenceLimits.strayOfSlower
        let steps = min(step, period * CadenceLimits.longestStep) + CadenceLimits.strayBesideSteps
        if other.width <= max(steps, slow) { return .isOther }
        return own.width > 2 * CadenceLimits.strays ? .isNeither : .nothing
    }

    /// How much later than at the nominal rate the newest picture was due by the fractional one: none came before its time.
    var fractionalDelay: Double { drift + fractional.lowerBound - late }
}

extension ClosedRange<Double> {
    fileprivate var width: Double { upperBound - lowerBound }

    fileprivate func reaching(_ value: Double) -> Self { Swift.min(lowerBound, value)...Swift.max(upperBound, value) }
}
