import Timebase

/// What is thought of a queue that stands, and of whose it is.
extension RateControl {
    /// A queue that has not been empty since.
    struct StandingQueue: Sendable {
        let since: Instant
        /// All that comes has stood in it, and tells what passes.
        var isMeasured = false
    }

    /// Less is sent for a queue that is too long.
    struct Draining: Sendable {
        /// How often in a row, though the queue stayed.
        var decreases = 0
        /// How long the queue was the last time.
        var queue = Duration.zero
    }

    /// More of ours comes than was to be sent: the queue is our own.
    struct Overrun: Sendable {
        /// Since when it does.
        var since: Instant?
        /// What was to be sent when that was last looked at.
        var targetBefore = 0
    }

    /// Another flow, whose queue does not follow what we send.
    struct Competition: Sendable {
        /// Since when its queue is tolerated; nil while it is not.
        var since: Instant?
        /// Its queue was tolerated until now: less is needed to believe in it again.
        var wasThere = false
        /// When it was last tried whether it is still there.
        var triedAt: Instant?
        /// How long it is believed in before that is tried.
        var belief = Limits.competition
        /// What may be used at once where a queue turns out to be its own.
        var fairShare = 0
    }
}
