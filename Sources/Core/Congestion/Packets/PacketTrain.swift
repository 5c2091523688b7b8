import Timebase

/// Measures the path by what it makes of packets that leave close together: behind a slow link they come spread out
/// (Keshav 1991, packet pair; Jain and Dovrolis 2002, packet trains). Each picture is such a train, so that the path is
/// measured by what is sent anyway.
package struct PacketTrain: Sendable {
    package struct Sample: Hashable, Sendable {
        /// How fast it left; nil where it left at once.
        var sentRate: Int?
        /// How fast it came.
        var receivedRate: Int

        /// It came as fast as it left: the path may take more than this.
        var isUnlimited: Bool { sentRate.map { receivedRate * 100 >= $0 * Limits.unlimitedPercent } ?? false }
    }

    private var cars: [PacketReport] = []

    private let resolution: Duration

    /// - Parameter resolution: of arrival times; trains that came within it are as long.
    init(resolution: Duration = Limits.arrivalResolution) { self.resolution = resolution }

    /// Nothing of what was seen so far.
    mutating func restart() { cars.removeAll(keepingCapacity: true) }

    mutating func observe(_ reports: [PacketReport]) -> [Sample] {
        var samples: [Sample] = []
        for report in reports {
            if let last = cars.last,
                report.number <= last.number || report.sentAt - last.sentAt > Limits.trainGap
                    || cars.count >= Limits.packetsOfLongTrain
            {
                if let sample = measure() { samples.append(sample) }
                cars.removeAll(keepingCapacity: true)
            }
            cars.append(report)
        }
        // A long one is worth knowing of before its end.
        if cars.count >= Limits.packetsOfEarlyTrain, let sample = measure() {
            samples.append(sample)
            cars.removeFirst(cars.count - 1)
        }
        return samples
    }

    private func measure() -> Sample? {
        guard let first = cars.firstIndex(where: { $0.arrival != nil }),
            let last = cars.lastIndex(where: { $0.arrival != nil }), let began = cars[first].arrival,
            let ended = cars[last].arrival
        else { return nil }
        guard last - first + 1 >= Limits.packetsOfTrain else { return nil }
        // What a full queue dropped never was on the narrow link.
        let bytes = cars[(first + 1)...last].reduce(0) { $0 + ($1.arrival == nil ? 0 : $1.bytes) }
        guard bytes >= Limits.bytesOfTrain else { return nil }
        let spread = max(ended - began, resolution)
        let sent = cars[last].sentAt - cars[first].sentAt
        return Sample(
            sentRate: sent < Limits.arrivalResolution ? nil : Int(Double(bytes) * 8 / sent.inSeconds),
            receivedRate: Int(Double(bytes) * 8 / spread.inSeconds))
    }
}
