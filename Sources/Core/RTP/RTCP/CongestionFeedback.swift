import Datagrams
import Timebase

/// Congestion control feedback (RTPFB, FMT 11; RFC 8888 § 3.1): which packets of each stream came, and when.
package struct CongestionFeedback: Hashable, Sendable {
    /// One stream's packets, from the first that is told of, one after the other.
    package struct StreamReport: Hashable, Sendable {
        package var ssrc: UInt32
        package var firstSequenceNumber: UInt16
        package var metrics: [PacketMetric]

        package init(ssrc: UInt32, firstSequenceNumber: UInt16, metrics: [PacketMetric]) {
            self.ssrc = ssrc
            self.firstSequenceNumber = firstSequenceNumber
            self.metrics = metrics
        }
    }

    package var senderSSRC: UInt32
    package var reports: [StreamReport]
    /// When it was made: the middle of an NTP timestamp, in 65536ths of a second.
    package var timestamp: UInt32

    package init(senderSSRC: UInt32, reports: [StreamReport], timestamp: UInt32) {
        self.senderSSRC = senderSSRC
        self.reports = reports
        self.timestamp = timestamp
    }

    /// The time of an unwrapped timestamp, on the receiver's clock.
    package static func time(ofTicks ticks: Int64) -> Duration {
        .seconds(ticks >> 16) + .nanoseconds(((ticks & 0xffff) * 1_000_000_000) >> 16)
    }
}

extension CongestionFeedback {
    init?(_ span: RawSpan, _ header: RTCPHeader) throws(RTCPError) {
        var cursor = Cursor(header.body)
        guard let sender = cursor.u32(span) else { return nil }
        var reports: [StreamReport] = []
        while cursor.remaining > 4 {
            guard reports.count < Limits.streamsPerFeedback else { throw .tooMany }
            guard let report = StreamReport(span, &cursor) else { return nil }
            reports.append(report)
        }
        guard let timestamp = cursor.u32(span), cursor.remaining == 0 else { return nil }
        self.init(senderSSRC: sender, reports: reports, timestamp: timestamp)
    }

    package func append(to bytes: inout [UInt8]) {
        RTCPHeader.append(to: &bytes, type: .transportFeedback, count: FeedbackFormat.congestionControl) { bytes in
            bytes.append(u32: senderSSRC)
            for report in reports.prefix(Limits.streamsPerFeedback) { report.append(to: &bytes) }
            bytes.append(u32: timestamp)
        }
    }
}

extension CongestionFeedback.StreamReport {
    /// `num_reports` counts the metrics, as all implementations have it; "inclusive" in § 3.1 would be one more, and 0
    /// could not mean none.
    fileprivate init?(_ span: RawSpan, _ cursor: inout Cursor) {
        guard let ssrc = cursor.u32(span), let first = cursor.u16(span), let count = cursor.u16(span),
            count <= Limits.metricsPerStream, cursor.remaining >= Int(count) * 2
        else { return nil }
        var metrics: [PacketMetric] = []
        metrics.reserveCapacity(Int(count))
        while metrics.count < count, let bits = cursor.u16(span) { metrics.append(PacketMetric(rawValue: bits)) }
        if count % 2 == 1, cursor.u16(span) == nil { return nil }
        self.init(ssrc: ssrc, firstSequenceNumber: first, metrics: metrics)
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        let metrics = metrics.prefix(Int(Limits.metricsPerStream))
        bytes.append(u32: ssrc)
        bytes.append(u16: firstSequenceNumber)
        bytes.append(u16: UInt16(metrics.count))
        for metric in metrics { bytes.append(u16: metric.rawValue) }
        if metrics.count % 2 == 1 { bytes.append(u16: 0) }
    }
}
