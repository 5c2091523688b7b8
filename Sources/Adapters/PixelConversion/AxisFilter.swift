/// Which samples of a row or column make each output, and with what weight.
///
/// Shrinking is an exact area average: an output is the mean of the samples that it covers, those at its edges by the
/// share that it covers of them. That keeps the picture where it is: the outer edges of first and last sample are those
/// of first and last output. An axis that isn't scaled is taken over. Only one of a single sample becomes longer, as an
/// encoded picture has two at least: that sample is repeated.
struct AxisFilter {
    private let samples: Int
    /// The first sample of each output.
    let starts: [Int32]
    /// Samples of each output, the same number for all; those not needed weigh nothing.
    let taps: Int
    /// `taps` weights for each output; they add up to `unit`.
    let weights: [Int32]

    var count: Int { starts.count }

    /// - Parameters:
    ///   - extent: how many samples the outputs cover; half ones for the chroma of an odd size.
    ///   - unit: what the weights of an output add up to.
    ///   - most: the largest weight that fits the type they are used in.
    ///   - tapUnit: `taps` is a multiple of it.
    init(extent: Double, outputs: Int, unit: Int32, most: Int32, tapUnit: Int = 1) {
        samples = Int(extent.rounded(.up))
        let ratio = extent / Double(outputs)
        let needed = ratio > 1 ? Int((ratio - 1e-9).rounded(.up)) + 1 : 2
        let taps = (needed + tapUnit - 1) / tapUnit * tapUnit
        var starts: [Int32] = []
        var weights: [Int32] = []
        for output in 0..<outputs {
            let (start, shares) = ratio > 1
                ? Self.area(from: Double(output) * ratio, to: min(extent, Double(output + 1) * ratio), taps: needed)
                : (start: min(output, samples - 1), shares: [1, 0])
            starts.append(Int32(start))
            weights += Self.rounded(shares, unit: unit, most: most)
            weights += Array(repeating: 0, count: taps - shares.count)
        }
        self.starts = starts
        self.taps = taps
        self.weights = weights
    }

    private static func area(from left: Double, to right: Double, taps: Int) -> (start: Int, shares: [Double]) {
        let start = Int(left + 1e-9)
        let shares = (start..<start + taps).map { sample in
            max(0, min(right, Double(sample + 1)) - max(left, Double(sample))) / (right - left)
        }
        return (start, shares)
    }

    /// Whole weights that add up exactly: the steps of the rounded running sum. What is too large for its type leaves
    /// the excess to the next sample (behind the last of a row that one is repeated).
    private static func rounded(_ shares: [Double], unit: Int32, most: Int32) -> [Int32] {
        var sum = 0.0
        var weights: [Int32] = []
        for share in shares {
            let before = Int32((sum * Double(unit)).rounded())
            sum = weights.count + 1 == shares.count ? 1 : min(1, sum + share)
            weights.append(Int32((sum * Double(unit)).rounded()) - before)
        }
        for index in weights.indices where weights[index] > most {
            weights[index + 1 < weights.count ? index + 1 : index - 1] += weights[index] - most
            weights[index] = most
        }
        return weights
    }

    /// The samples that a range of outputs needs, tightly. The one behind the last, which may weigh something too, is
    /// not counted.
    func inputs(for outputs: Range<Int>) -> Range<Int> {
        guard let first = outputs.first, let last = outputs.last else { return 0..<0 }
        return Int(starts[first])..<min(samples, Int(starts[last]) + used(last))
    }

    /// Samples of an output that weigh anything, counted from its first.
    func used(_ output: Int) -> Int {
        var count = taps
        while count > 1, weights[output * taps + count - 1] == 0 { count -= 1 }
        return count
    }

    /// The outputs that any of these samples has a part in. Starts rise, so both ends are found by halving.
    func outputs(touching inputs: Range<Int>) -> Range<Int> {
        let first = partition { Int(starts[$0]) + used($0) <= inputs.lowerBound }
        let end = partition { Int(starts[$0]) < inputs.upperBound }
        return first..<max(first, end)
    }

    /// The number of leading outputs for which the condition holds; it holds for no output after one that fails.
    private func partition(_ holds: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
