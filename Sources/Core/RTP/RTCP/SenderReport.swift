import Datagrams
import Timebase

/// SR (RFC 3550 § 6.4.1).
package struct SenderReport: Hashable, Sendable {
    package var ssrc: UInt32
    package var ntp: NTPTimestamp
    /// The same moment as `ntp` on the stream's RTP clock.
    package var rtpTimestamp: UInt32
    package var packetCount: UInt32
    /// Payload bytes, without headers and padding.
    package var octetCount: UInt32
    /// At most 31 are written.
    package var reports: [ReportBlock]

    package init(
        ssrc: UInt32, ntp: NTPTimestamp, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32,
        reports: [ReportBlock] = []
    ) {
        self.ssrc = ssrc
        self.ntp = ntp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.reports = reports
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        guard let ssrc = cursor.u32(span), let ntp = cursor.u64(span), let rtpTimestamp = cursor.u32(span),
            let packetCount = cursor.u32(span), let octetCount = cursor.u32(span),
            let reports = ReportBlock.list(span, &cursor, count: header.count)
        else { return nil }
        self.init(
            ssrc: ssrc, ntp: NTPTimestamp(bits: ntp), rtpTimestamp: rtpTimestamp, packetCount: packetCount,
            octetCount: octetCount, reports: reports)
    }

    package func append(to bytes: inout [UInt8]) {
        let reports = reports.prefix(31)
        RTCPHeader.append(to: &bytes, type: .senderReport, count: UInt8(reports.count)) { bytes in
            bytes.append(u32: ssrc)
            bytes.append(u64: ntp.bits)
            bytes.append(u32: rtpTimestamp)
            bytes.append(u32: packetCount)
            bytes.append(u32: octetCount)
            for report in reports { report.append(to: &bytes) }
        }
    }
}
