/// Whether packets get lost one by one or several in a row, by what a viewer asks for for the first time.
struct LossRuns {
    /// Packets in a row, on average over the latest runs.
    private var meanLength = 1.0

    var areBursts: Bool { meanLength > Limits.lengthOfBurst }

    /// - Parameter numbers: what one request asks for, in ascending order.
    mutating func note(_ numbers: [UInt16]) {
        guard var previous = numbers.first else { return }
        var length = 1.0
        for number in numbers.dropFirst() {
            if number == previous &+ 1 {
                length += 1
            } else {
                add(length)
                length = 1
            }
            previous = number
        }
        add(length)
    }

    /// One outage is no habit.
    private mutating func add(_ length: Double) { meanLength += (min(length, Limits.longestRun) - meanLength) / 8 }
}
