import Timebase

/// What a path takes, told by peers that give no transport-wide feedback: receiver reports and REMB.
///
/// Loss as GoogCC's first controller has it (draft-ietf-rmcat-gcc-02 § 6); a receiver that estimates by itself is
/// believed.
package struct ReportedRate: Sendable {
    private var rate: Double
    private let maximum: Double
    private var believed = Double.infinity
    private var lastReport: Instant?

    package init(maximum: Int) {
        self.maximum = Double(max(Limits.lowestRate, maximum))
        rate = self.maximum
    }

    package var target: Int { Int(max(Double(Limits.lowestRate), min(rate, believed))) }

    /// - Parameter loss: 0…1, since the last report.
    package mutating func reported(loss: Double, at now: Instant) {
        let elapsed = min(2, max(0, lastReport.map { (now - $0).inSeconds } ?? 1))
        lastReport = now
        if loss > Limits.heavyLoss {
            rate *= 1 - 0.5 * min(1, loss)
        } else if loss <= Limits.toleratedLoss {
            rate *= 1 + Limits.growthPerSecond * elapsed
        }
        rate = max(Double(Limits.lowestRate), min(maximum, rate))
    }

    /// REMB.
    package mutating func estimated(bitsPerSecond: UInt64) {
        believed = max(Double(Limits.lowestRate), Double(min(bitsPerSecond, UInt64(Limits.highestRate))))
    }
}
