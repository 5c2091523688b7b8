import Datagrams

/// Transport-wide feedback (RTPFB, FMT 15; draft-holmer-rmcat-transport-wide-cc-extensions-01 § 3.1): which packets of
/// a range of transport-wide numbers arrived, and when.
///
/// Only arrivals are listed, so that a value never takes more memory than the packet it came in; what is in the range
/// and not in the list was lost.
package struct TransportFeedback: Hashable, Sendable {
    package struct Arrival: Hashable, Sendable {
        /// Packets after the base sequence number.
        package var offset: UInt16
        /// Ticks of 250 µs since the reference time.
        package var ticks: Int64

        package init(offset: UInt16, ticks: Int64) {
            self.offset = offset
            self.ticks = ticks
        }
    }

    /// The unit of arrival times.
    static let tick: Duration = .nanoseconds(nanosecondsPerTick)
    private static let nanosecondsPerTick: Int64 = 250_000
    /// Ticks in a unit of the reference time (64 ms).
    static let ticksPerReference: Int64 = 256

    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32
    package var baseSequenceNumber: UInt16
    package var statusCount: UInt16
    /// Signed 24 bits in units of 64 ms, on a clock of the receiver's own.
    package var referenceTime: Int32
    /// Counts feedback packets, so that lost ones are noticed.
    package var feedbackCount: UInt8
    /// Ascending by offset, all below `statusCount`.
    package var arrivals: [Arrival]

    package init(
        senderSSRC: UInt32, mediaSSRC: UInt32, baseSequenceNumber: UInt16, statusCount: UInt16,
        referenceTime: Int32, feedbackCount: UInt8, arrivals: [Arrival]
    ) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
        self.baseSequenceNumber = baseSequenceNumber
        self.statusCount = statusCount
        self.referenceTime = referenceTime
        self.feedbackCount = feedbackCount
        self.arrivals = arrivals
    }

    package func sequenceNumber(of arrival: Arrival) -> UInt16 { baseSequenceNumber &+ arrival.offset }

    /// The arrival on the receiver's clock, which wraps with the reference time (at 12.4 days).
    package func time(of arrival: Arrival) -> Duration {
        .nanoseconds(Self.nanosecondsPerTick * (Int64(referenceTime) * Self.ticksPerReference + arrival.ticks))
    }
}
