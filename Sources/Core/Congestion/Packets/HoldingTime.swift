import Timebase

/// How long a peer keeps what it has to tell: of what it tells in one moment, from the first arrival to the last.
///
/// GStreamer makes a feedback for each picture and holds them until its session may send RTCP: one early packet between
/// two regular ones (RFC 4585 § 3.5.2), which in the first seconds come up to 1.4 s after each other. What is late for that
/// is neither in a queue nor lost.
struct HoldingTime: Sendable {
    /// What is told in one moment, by its arrivals; a hole in them is an outage's, not the peer's.
    private struct Moment {
        let began: Instant
        var latest: Instant
        var first: Duration
        var last: Duration
        var hole = Duration.zero

        var held: Duration { last - first - hole }

        /// The next feedback is told with it: it takes a slow machine some time to read a second's worth of them.
        func goesOn(at now: Instant) -> Bool {
            now - latest < Limits.gapInMoment && now - began < Limits.longestMoment
        }

        mutating func add(_ arrival: Duration) {
            hole = max(hole, arrival - last)
            first = min(first, arrival)
            last = max(last, arrival)
        }
    }

    private var moment: Moment?
    private var longest = Duration.zero

    /// What may be waited for beyond a round trip; nothing for who tells within a fraction of a second.
    var allowance: Duration { longest < Limits.shortHolding ? .zero : longest * Limits.holdingFactor }

    mutating func observe(_ reports: [PacketReport], at now: Instant) {
        let arrivals = reports.lazy.compactMap(\.arrival)
        guard let first = arrivals.first else { return }
        if moment?.goesOn(at: now) != true {
            forget()
            moment = Moment(began: now, latest: now, first: first, last: first)
        }
        moment?.latest = now
        for arrival in arrivals { moment?.add(arrival) }
        longest = max(longest, min(Limits.longestHolding, moment?.held ?? .zero))
    }

    /// Soon, where the last moment told of little.
    private mutating func forget() {
        let isShort = moment.map { $0.held < Limits.shortHolding } ?? false
        longest -= longest / (isShort ? Limits.shortHoldingMemory : Limits.holdingMemory)
    }
}
