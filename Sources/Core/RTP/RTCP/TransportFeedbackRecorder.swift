import Timebase

/// A receiver's memory of transport-wide numbers, from which feedback is made from time to time.
package struct TransportFeedbackRecorder: Sendable {
    private var history: ArrivalHistory
    private var feedbackCount: UInt8 = 0

    /// - Parameter repeatsLast: each report tells once more what the one before told, should that get lost.
    package init(repeatsLast: Bool = false) { history = ArrivalHistory(repeatsLast: repeatsLast) }

    /// - Returns: how many are missing right before it; nil where it is not the newest.
    @discardableResult
    package mutating func receive(transportSequenceNumber: UInt16, at now: Instant) -> Int64? {
        history.receive(transportSequenceNumber, at: now)
    }

    /// True where a report would say something.
    package var hasNews: Bool { history.hasNews }

    /// Everything since the last report, in as many packets as it takes.
    ///
    /// - Parameter again: what the last report told, though nothing has come since.
    package mutating func makeFeedback(
        senderSSRC: UInt32, mediaSSRC: UInt32, again: Bool = false
    ) -> [TransportFeedback] {
        var packets: [TransportFeedback] = []
        history.beginReport(again: again)
        while history.hasNews { packets.append(nextPacket(senderSSRC, mediaSSRC)) }
        history.endReport()
        return packets
    }

    private mutating func nextPacket(_ senderSSRC: UInt32, _ mediaSSRC: UInt32) -> TransportFeedback {
        let base = history.unreported
        var feedback = TransportFeedback(
            senderSSRC: senderSSRC, mediaSSRC: mediaSSRC, baseSequenceNumber: UInt16(truncatingIfNeeded: base),
            statusCount: 0, referenceTime: 0, feedbackCount: feedbackCount, arrivals: [])
        feedbackCount &+= 1
        var reference: Int64?
        var last: Int64 = 0
        while history.hasNews, feedback.arrivals.count < Limits.arrivalsPerFeedback {
            if let arrival = history[history.unreported] {
                let ticks = arrival.time.nanoseconds / Self.tick
                let zero = reference ?? ticks & ~(TransportFeedback.ticksPerReference - 1)
                reference = zero
                // What is too far from the packet before begins a packet of its own.
                guard TransportFeedback.writableDeltas.contains(ticks - zero - last) else { break }
                last = ticks - zero
                feedback.arrivals.append(.init(offset: UInt16(history.unreported - base), ticks: last))
            }
            history.unreported += 1
        }
        feedback.statusCount = UInt16(history.unreported - base)
        let units = (reference ?? 0) / TransportFeedback.ticksPerReference
        feedback.referenceTime = Int32(truncatingIfNeeded: (units << 40) >> 40)
        return feedback
    }

    private static let tick = TransportFeedback.tick.nanoseconds
}
