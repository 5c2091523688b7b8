import Timebase

/// What a stream's RTP timestamps are on the sender's wall clock, by its sender reports (RFC 3550 § 6.4.1).
///
/// A server reckons its reports from the packet that it sent last, and is off by what that one took to come to it: while a
/// keyframe comes in, by a tenth of a second. Of its last reports the middle one counts.
package struct ReportedClock: Sendable {
    /// RTP units per second.
    private let clockRate: Int64
    /// Those that count, the newest at the end.
    private var reports: [(ntp: NTPTimestamp, timestamp: UInt32)] = []

    package init(clockRate: Int64) {
        self.clockRate = max(1, clockRate)
    }

    /// Zero is the time of a sender that has no notion of it (RFC 3550 § 6.4.1): such a report tells nothing.
    ///
    /// - Parameter isExact: by itself it says what the clock is from now on.
    package mutating func receive(_ report: SenderReport, isExact: Bool = true) {
        if report.ntp.bits == 0 { return }
        note(report.ntp, timestamp: report.rtpTimestamp, isExact: isExact)
    }

    /// A timestamp and its moment.
    package mutating func note(_ ntp: NTPTimestamp, timestamp: UInt32, isExact: Bool = true) {
        if let last = reports.last {
            let age = ntp.duration(since: last.ntp)
            if age < .zero, age > .zero - Limits.lateReport { return }
        }
        let error = captured(timestamp).map { ntp.duration(since: $0) } ?? .zero
        if isExact || error.magnitude > Limits.largestReportError { reports.removeAll() }
        if reports.count >= Limits.countedReports { reports.removeFirst() }
        reports.append((ntp, timestamp))
    }

    /// When what has this timestamp was captured, on the sender's wall clock; nil before the first report. Timestamps
    /// within half their range of the last report's are told apart: six hours for video.
    package func captured(_ timestamp: UInt32) -> NTPTimestamp? {
        guard let last = reports.last else { return nil }
        let newest = moment(of: timestamp, by: last)
        let others = reports.map { moment(of: timestamp, by: $0).duration(since: newest) }.sorted()
        // Of two the earlier: what takes time makes reports late.
        return newest.advanced(by: others[(others.count - 1) / 2])
    }

    private func moment(of timestamp: UInt32, by report: (ntp: NTPTimestamp, timestamp: UInt32)) -> NTPTimestamp {
        let ticks = Int64(Int32(bitPattern: timestamp &- report.timestamp))
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: clockRate)
        return report.ntp.advanced(by: .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / clockRate))
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
