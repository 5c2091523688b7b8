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
        /// Its queue overflowed, or grew though no more of ours was sent: it is no other share, which would have yielded. Until
        /// then nothing of ours grows, or shares that take each other for TCP fill a queue together.
        private(set) var isProven = false
        /// Of its queue, since then.
        private var least = Duration.zero

        mutating func begin(_ queue: Duration, at now: Instant) {
            guard since == nil else { return }
            (since, least) = (now, queue)
        }

        mutating func observe(_ queue: Duration) {
            guard since != nil else { return }
            least = min(least, queue)
            if queue - least > Limits.riseOfTransfer { isProven = true }
        }

        mutating func overflowed() {
            if since != nil { isProven = true }
        }

        /// Its queue was short for a while.
        mutating func forget(fairShare: Int) {
            (wasThere, self.fairShare) = (false, fairShare)
            if since == nil { isProven = false }
        }
    }
}
