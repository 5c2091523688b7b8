/// Tells a rate from the one a thousandth slower, by how late its pictures get in the long run. Times are nanoseconds.
///
/// At 23.976 a second each picture lasts 42 µs longer than at 24, but a display shows them later only by steps: at 60 Hz by
/// 8 ms every eight seconds. A player that is busy for a moment makes a step too, so it takes two of them, as far apart as
/// they would be: then the pictures spread less at the slower rate.
struct DriftWatch: Sendable {
    /// The picture that it began with, and when that was due.
    private let index: Int64
    private let due: Double
    /// A picture's duration at the nominal rate.
    private let period: Double
    /// When the newest picture was due at that rate.
    private var dueNominally: Double
    /// How late the pictures were at the nominal rate, and at the fractional one.
    private var nominal = 0.0...0.0
    private var fractional = 0.0...0.0
    /// By how much the newest one is late at the nominal rate.
    private var late = 0.0
    /// By how much a fractional rate would have drifted so far.
    private(set) var expected = 0.0

    init(at index: Int64, due: Double, of rate: CadenceRate) {
        self.index = index
        self.due = due
        period = CadenceRate(rate.nominal).period
        dueNominally = due
    }

    /// - Parameter due: when a picture was due, going by the least late of the last ones.
    mutating func saw(_ index: Int64, due: Double) {
        let elapsed = Double(index - self.index) * period
        dueNominally = self.due + elapsed
        late = due - dueNominally
        expected = elapsed / 1000
        nominal = nominal.reaching(late)
        fractional = fractional.reaching(late - expected)
    }

    var isFractional: Bool {
        let (wide, narrow) = (nominal.width, fractional.width)
        return CadenceLimits.isFractional.contains(late / expected) && wide - narrow >= CadenceLimits.fractionalMargin
            && narrow <= wide * CadenceLimits.fractionalSpread
    }

    var isNominal: Bool { late < expected * CadenceLimits.isNominal }

    /// When the newest picture was due if the rate is the fractional one: none came before its time.
    var fractionalDue: Double { dueNominally + expected + fractional.lowerBound }
}

extension ClosedRange<Double> {
    fileprivate var width: Double { upperBound - lowerBound }

    fileprivate func reaching(_ value: Double) -> Self { Swift.min(lowerBound, value)...Swift.max(upperBound, value) }
}
