import DequeModule
import Timebase

/// A receiver's memory of transport-wide numbers, from which feedback is made from time to time.
///
/// Numbers already reported are kept for a while: a late packet makes the next report begin at it, so that what was
/// called lost is corrected.
package struct TransportFeedbackRecorder: Sendable {
    /// Arrivals from `first` on; nil where nothing came.
    private var arrivals: Deque<Instant?> = []
    private var first: Int64 = 0
    /// The first number of the next report.
    private var unreported: Int64 = 0
    /// And that of the last one.
    private var lastReported: Int64 = 0
    private var unwrapper = Unwrapper<UInt16>()
    private var feedbackCount: UInt8 = 0

    private let repeatsLast: Bool

    /// - Parameter repeatsLast: each report tells once more what the one before told, should that get lost.
    package init(repeatsLast: Bool = false) { self.repeatsLast = repeatsLast }

    package mutating func receive(transportSequenceNumber: UInt16, at now: Instant) {
        let number = unwrapper.unwrap(transportSequenceNumber)
        if arrivals.isEmpty {
            (first, unreported) = (number, number)
        }
        guard number >= first else { return }
        if number - first >= Int64(2 * Limits.arrivalWindow) {
            // A jump: what lies between counts as never sent.
            arrivals.removeAll(keepingCapacity: true)
            (first, unreported) = (number, number)
        }
        let index = Int(number - first)
        while arrivals.count <= index { arrivals.append(nil) }
        guard arrivals[index] == nil else { return }
        arrivals[index] = now
        unreported = min(unreported, number)
        forget(downTo: Limits.arrivalWindow)
    }

    /// True where a report would say something.
    package var hasNews: Bool { unreported < first + Int64(arrivals.count) }

    /// Everything since the last report, in as many packets as it takes.
    ///
    /// - Parameter again: what the last report told, though nothing has come since.
    package mutating func makeFeedback(
        senderSSRC: UInt32, mediaSSRC: UInt32, again: Bool = false
    ) -> [TransportFeedback] {
        var packets: [TransportFeedback] = []
        let end = first + Int64(arrivals.count)
        let news = unreported
        // Unless that is much.
        if repeatsLast, unreported - lastReported <= Int64(Limits.arrivalsPerFeedback / 2) {
            unreported = max(first, min(unreported, lastReported))
        }
        if !again { lastReported = news }
        while unreported < end {
            packets.append(nextPacket(senderSSRC, mediaSSRC, end))
        }
        forget(downTo: Limits.arrivalWindow / 2)
        return packets
    }

    private mutating func nextPacket(_ senderSSRC: UInt32, _ mediaSSRC: UInt32, _ end: Int64) -> TransportFeedback {
        var feedback = TransportFeedback(
            senderSSRC: senderSSRC, mediaSSRC: mediaSSRC,
            baseSequenceNumber: UInt16(truncatingIfNeeded: unreported), statusCount: 0, referenceTime: 0,
            feedbackCount: feedbackCount, arrivals: [])
        feedbackCount &+= 1
        let base = unreported
        var reference: Int64?
        var last: Int64 = 0
        while unreported < end, feedback.arrivals.count < Limits.arrivalsPerFeedback {
            if let arrival = arrivals[Int(unreported - first)] {
                let ticks = arrival.nanoseconds / Self.tick
                let zero = reference ?? ticks & ~(TransportFeedback.ticksPerReference - 1)
                reference = zero
                // What is too far from the packet before begins a packet of its own.
                guard TransportFeedback.writableDeltas.contains(ticks - zero - last) else { break }
                last = ticks - zero
                feedback.arrivals.append(.init(offset: UInt16(unreported - base), ticks: last))
            }
            unreported += 1
        }
        feedback.statusCount = UInt16(unreported - base)
        let units = (reference ?? 0) / TransportFeedback.ticksPerReference
        feedback.referenceTime = Int32(truncatingIfNeeded: (units << 40) >> 40)
        return feedback
    }

    private static let tick = TransportFeedback.tick.nanoseconds

    private mutating func forget(downTo count: Int) {
        while arrivals.count > count {
            arrivals.removeFirst()
            first += 1
        }
        unreported = max(unreported, first)
    }
}
