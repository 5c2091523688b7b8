/// The last values of something that is measured all the time.
struct RecentValues<Value: Comparable> {
    private var values: [Value] = []
    private var next = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    mutating func append(_ value: Value) {
        if values.count < capacity {
            values.append(value)
        } else {
            values[next] = value
        }
        next = (next + 1) % capacity
    }

    mutating func removeAll() {
        values = []
        next = 0
    }

    /// The value that so many of them do not exceed; nil where there are none.
    ///
    /// - Parameter share: 0…1; 0.5 is the median.
    func quantile(_ share: Double, of measure: (Value) -> Value = { $0 }) -> Value? {
        let sorted = values.map(measure).sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((Double(sorted.count) * share).rounded(.up)) - 1))]
    }
}
