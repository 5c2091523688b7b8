import Timebase

/// What a sender counts about one SSRC, for its sender reports (RFC 3550 § 6.4.1).
package struct SendStatistics: Sendable {
    package let ssrc: UInt32
    package private(set) var packetCount: UInt64 = 0
    /// Payload bytes, "not including header or padding".
    package private(set) var octetCount: UInt64 = 0

    package init(ssrc: UInt32) {
        self.ssrc = ssrc
    }

    package mutating func sent(payloadBytes: Int) {
        packetCount &+= 1
        octetCount &+= UInt64(clamping: payloadBytes)
    }

    /// - Parameter rtpTimestamp: the stream's timestamp at the moment `ntp`.
    package func report(ntp: NTPTimestamp, rtpTimestamp: UInt32) -> SenderReport {
        SenderReport(
            ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, packetCount: UInt32(truncatingIfNeeded: packetCount),
            octetCount: UInt32(truncatingIfNeeded: octetCount))
    }
}
