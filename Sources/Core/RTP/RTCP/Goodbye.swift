import Datagrams

/// BYE (RFC 3550 § 6.6); a reason is not kept.
package struct Goodbye: Hashable, Sendable {
    /// At most 31 are written.
    package var ssrcs: [UInt32]

    package init(ssrcs: [UInt32]) {
        self.ssrcs = ssrcs
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        ssrcs = []
        for _ in 0..<header.count {
            guard let ssrc = cursor.u32(span) else { return nil }
            ssrcs.append(ssrc)
        }
    }

    package func append(to bytes: inout [UInt8]) {
        let ssrcs = ssrcs.prefix(31)
        RTCPHeader.append(to: &bytes, type: .goodbye, count: UInt8(ssrcs.count)) { bytes in
            for ssrc in ssrcs { bytes.append(u32: ssrc) }
        }
    }
}
