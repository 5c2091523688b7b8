import Datagrams
import Timebase

/// A receiver's memory of each stream's sequence numbers, from which congestion control feedback is made from time to
/// time (RFC 8888).
package struct CongestionFeedbackRecorder: Sendable {
    private struct Stream: Sendable {
        let ssrc: UInt32
        var history: ArrivalHistory

        mutating func nextReport(packets: Int, at now: Instant) -> CongestionFeedback.StreamReport {
            var report = CongestionFeedback.StreamReport(
                ssrc: ssrc, firstSequenceNumber: UInt16(truncatingIfNeeded: history.unreported), metrics: [])
            while history.hasNews, report.metrics.count < packets {
                let arrival = history[history.unreported]
                report.metrics.append(
                    arrival.map { PacketMetric(offset: now - $0.time, ecn: $0.ecn) } ?? .notReceived)
                history.unreported += 1
            }
            return report
        }
    }

    private var streams: [Stream] = []
    private let repeatsLast: Bool

    /// - Parameter repeatsLast: each report tells once more what the one before told, should that get lost.
    package init(repeatsLast: Bool = false) { self.repeatsLast = repeatsLast }

    /// - Returns: how many of the stream are missing right before it; nil where it is not the newest.
    @discardableResult
    package mutating func receive(
        ssrc: UInt32, sequenceNumber: UInt16, ecn: ECN = .notCapable, at now: Instant
    ) -> Int64? {
        let index = streams.firstIndex { $0.ssrc == ssrc } ?? open(ssrc)
        return streams[index].history.receive(sequenceNumber, ecn: ecn, at: now)
    }

    private mutating func open(_ ssrc: UInt32) -> Int {
        if streams.count >= Limits.recordedStreams { streams.removeFirst() }
        streams.append(Stream(ssrc: ssrc, history: ArrivalHistory(repeatsLast: repeatsLast)))
        return streams.count - 1
    }

    /// True where a report would say something.
    package var hasNews: Bool { streams.contains { $0.history.hasNews } }

    /// Everything since the last report, in as many packets as it takes. Streams that rest are left out.
    ///
    /// - Parameters:
    ///   - ntp: `now` on the clock of sender reports.
    ///   - again: what the last report told, though nothing has come since.
    package mutating func makeFeedback(
        senderSSRC: UInt32, ntp: NTPTimestamp, again: Bool = false, at now: Instant
    ) -> [CongestionFeedback] {
        let empty = CongestionFeedback(senderSSRC: senderSSRC, reports: [], timestamp: ntp.middle)
        var packets: [CongestionFeedback] = []
        var room = 0
        for index in streams.indices {
            streams[index].history.beginReport(again: again)
            while streams[index].history.hasNews {
                if room == 0 {
                    packets.append(empty)
                    room = Limits.metricsPerFeedback
                }
                let report = streams[index].nextReport(packets: room, at: now)
                packets[packets.count - 1].reports.append(report)
                room -= report.metrics.count
            }
            streams[index].history.endReport()
        }
        return packets
    }
}
