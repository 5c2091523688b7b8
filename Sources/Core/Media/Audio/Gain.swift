/// A factor on samples, as ears count it.
package struct Gain: Hashable, Sendable {
    package let factor: Float

    /// - Parameter decibels: kept within `AudioLimits.gains`; what is below them is silence.
    package init(decibels: Double) {
        let bounds = AudioLimits.gains
        guard decibels >= bounds.lowerBound else {
            factor = 0
            return
        }
        factor = Float(Self.powerOfTwo(min(decibels, bounds.upperBound) * Self.octavesPerDecibel))
    }

    package static let unity = Gain(decibels: 0)

    /// log₂ 10 / 20.
    private static let octavesPerDecibel = 0.166_096_404_744_368_1

    /// 2ˣ: the whole part by the exponent, the rest (|x| ≤ ½) by the series of the exponential.
    private static func powerOfTwo(_ x: Double) -> Double {
        let whole = x.rounded()
        let rest = (x - whole) * 0.693_147_180_559_945_3
        var term = 1.0
        var sum = 1.0
        for order in 1...14 {
            term *= rest / Double(order)
            sum += term
        }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }
}
