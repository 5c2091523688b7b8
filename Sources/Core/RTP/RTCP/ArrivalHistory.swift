import Datagrams
import DequeModule
import Timebase

/// A receiver's memory of numbers that ascend: which came and when, and up to where that was reported.
///
/// Numbers already reported are kept for a while: a late packet makes the next report begin at it, so that what was
/// called lost is corrected.
struct ArrivalHistory: Sendable {
    struct Arrival: Sendable {
        var time: Instant
        var ecn: ECN
    }

    /// Arrivals from `first` on; nil where nothing came.
    private var arrivals: Deque<Arrival?> = []
    private var first: Int64 = 0
    /// The first number of the next report, which moves it on.
    var unreported: Int64 = 0
    /// And that of the last one.
    private var lastReported: Int64 = 0
    private var unwrapper = Unwrapper<UInt16>()
    private let repeatsLast: Bool

    /// - Parameter repeatsLast: each report tells once more what the one before told, should that get lost.
    init(repeatsLast: Bool) { self.repeatsLast = repeatsLast }

    /// - Returns: how many are missing right before it; nil where it is not the newest.
    mutating func receive(_ wrapped: UInt16, ecn: ECN = .notCapable, at now: Instant) -> Int64? {
        let highest = unwrapper.highest
        let number = unwrapper.unwrap(wrapped)
        note(number, Arrival(time: now, ecn: ecn))
        guard let highest, number > highest else { return nil }
        return number - highest - 1
    }

    private mutating func note(_ number: Int64, _ arrival: Arrival) {
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
        if let known = arrivals[index] {
            // The first copy's time, but any copy's ECN (RFC 8888 § 3.1).
            guard arrival.ecn == .congestionExperienced, known.ecn != arrival.ecn else { return }
            arrivals[index]?.ecn = arrival.ecn
        } else {
            arrivals[index] = arrival
        }
        unreported = min(unreported, number)
        forget(downTo: Limits.arrivalWindow)
    }

    /// Nil where the number did not come, or is forgotten.
    subscript(_ number: Int64) -> Arrival? {
        let index = Int(clamping: number.subtractingSaturating(first))
        return arrivals.indices.contains(index) ? arrivals[index] : nil
    }

    /// True where a report would say something.
    var hasNews: Bool { unreported < first + Int64(arrivals.count) }

    /// A report begins; it reads from `unreported` on, as long as there is news.
    ///
    /// - Parameter again: what the last report told, though nothing has come since.
    mutating func beginReport(again: Bool) {
        let news = unreported
        // Unless that is much.
        if repeatsLast, unreported - lastReported <= Int64(Limits.arrivalsPerFeedback / 2) {
            unreported = max(first, min(unreported, lastReported))
        }
        if !again { lastReported = news }
    }

    mutating func endReport() { forget(downTo: Limits.arrivalWindow / 2) }

    private mutating func forget(downTo count: Int) {
        while arrivals.count > count {
            arrivals.removeFirst()
            first += 1
        }
        unreported = max(unreported, first)
    }
}
