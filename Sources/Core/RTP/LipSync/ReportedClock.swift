import Timebase

/// What a stream's RTP timestamps are on the sender's wall clock, by its sender reports (RFC 3550 § 6.4.1).
package struct ReportedClock: Sendable {
    /// RTP units per second.
    private let clockRate: Int64
    private var last: (ntp: NTPTimestamp, timestamp: UInt32)?

    package init(clockRate: Int64) {
        self.clockRate = max(1, clockRate)
    }

    package mutating func receive(_ report: SenderReport) {
        note(report.ntp, timestamp: report.rtpTimestamp)
    }

    /// A timestamp and its moment.
    package mutating func note(_ ntp: NTPTimestamp, timestamp: UInt32) {
        if let last {
            let age = ntp.duration(since: last.ntp)
            if age < .zero, age > .zero - Limits.lateReport { return }
        }
        last = (ntp, timestamp)
    }

    /// When what has this timestamp was captured, on the sender's wall clock; nil before the first report. Timestamps
    /// within half their range of the last report's are told apart: six hours for video.
    package func captured(_ timestamp: UInt32) -> NTPTimestamp? {
        guard let last else { return nil }
        let ticks = Int64(Int32(bitPattern: timestamp &- last.timestamp))
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: clockRate)
        return last.ntp.advanced(by: .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / clockRate))
    }
}

extension NTPTimestamp {
    /// How much later this is; right within 68 years.
    package func duration(since other: NTPTimestamp) -> Duration {
        let difference = Int64(bitPattern: bits &- other.bits)
        let (seconds, fraction) = (difference >> 32, difference & 0xffff_ffff)
        return .seconds(seconds) + .nanoseconds((fraction * 1_000_000_000) >> 32)
    }
}
