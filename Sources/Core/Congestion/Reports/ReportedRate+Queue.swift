import Timebase

/// What is known of a path from round trips; of another path none of it holds.
extension ReportedRate {
    /// What reports and connectivity checks measure.
    struct RoundTrips: Sendable {
        var least = RecentMinimum(seconds: Limits.secondsOfLeastRoundTrip)
        var last = Limits.assumedRoundTrip
        /// The one before the last, and when what measured it left.
        var before: (took: Duration, leftAt: Instant)?
        /// By how much they grow in a time, as a share of that: what is sent more than passes.
        var growth = 0.0
        /// How many in a row were asked for and have no answer yet.
        private(set) var unanswered = 0
        /// When the first of these was asked for.
        private(set) var unansweredSince: Instant?

        init() {}

        mutating func asked(at now: Instant) {
            unanswered += 1
            unansweredSince = unansweredSince ?? now
        }

        mutating func answered(_ roundTrip: Duration) { (last, unanswered, unansweredSince) = (roundTrip, 0, nil) }
    }

    /// A queue that round trips tell of, and what was done about it.
    struct ToldQueue: Sendable {
        /// By how much the last round trip was longer than the least.
        var delay = Duration.zero
        /// Since when it has been about as long, and what might be sent then.
        var plateau: (roundTrip: Duration, rate: Double, since: Instant)?
        /// What was sent when it began.
        var tooMuch: (bitsPerSecond: Double, at: Instant)?
        /// When less was last sent, and how long it was then.
        var lessened: (at: Instant, delay: Duration)?
        /// When less was sent because it was long; it has not been seen to have gone since.
        var leavingSince: Instant?
        /// Bits per second that passed where the part that is kept beside others was too much: nobody else fills it.
        var narrow: Double?
        /// No pictures leave until then, so that it goes.
        var restUntil = Instant.zero
    }
}
