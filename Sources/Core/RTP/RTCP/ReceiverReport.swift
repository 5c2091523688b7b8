import Datagrams

/// RR (RFC 3550 § 6.4.2).
package struct ReceiverReport: Hashable, Sendable {
    package var ssrc: UInt32
    /// At most 31 are written.
    package var reports: [ReportBlock]

    package init(ssrc: UInt32, reports: [ReportBlock] = []) {
        self.ssrc = ssrc
        self.reports = reports
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        guard let ssrc = cursor.u32(span),
            let reports = ReportBlock.list(span, &cursor, count: header.count)
        else { return nil }
        self.init(ssrc: ssrc, reports: reports)
    }

    package func append(to bytes: inout [UInt8]) {
        let reports = reports.prefix(31)
        RTCPHeader.append(to: &bytes, type: .receiverReport, count: UInt8(reports.count)) { bytes in
            bytes.append(u32: ssrc)
            for report in reports { report.append(to: &bytes) }
        }
    }
}
