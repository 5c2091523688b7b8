/// Whether packets get lost one by one or several in a row, by what a viewer asks for for the first time.
struct LossRuns {
    /// Packets in a row, on average over the latest runs.
    private var meanLength = 1.0
    /// The newest run, which may go on: its end is often asked for later, once the next picture shows that it is missing.
    private var length = 0.0
    private var last: UInt16?

    var areBursts: Bool { mean(with: length) > Limits.lengthOfBurst }

    /// - Parameter numbers: what one request asks for, in ascending order.
    mutating func note(_ numbers: [UInt16]) {
        for number in numbers {
            if let last, number != last &+ 1 {
                meanLength = mean(with: length)
                length = 0
            }
            length += 1
            last = number
        }
    }

    /// One outage is no habit.
    private func mean(with length: Double) -> Double {
        length == 0 ? meanLength : meanLength + (min(length, Limits.longestRun) - meanLength) / 8
    }
}
