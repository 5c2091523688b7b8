import Timebase

/// What is known of a link that others use as well: all that it takes, and how much was too much for it last.
///
/// A train of packets measures the link, whoever else uses it: each of several flows would take all of it, again and
/// again. So for some time after a queue, trains raise nobody above what came through it then. A flow grows by a part of
/// what the link takes, not of what it has itself, so that those who have little gain by it (D.-M. Chiu, R. Jain,
/// "Analysis of the increase and decrease algorithms for congestion avoidance", 1989); who has less than an eighth, by a
/// part of eight times its own.
struct LinkShare: Sendable {
    /// Bits per second by trains, and when the last was seen; nil before the first.
    private var link: (rate: Int, at: Instant)?
    private var excess: (rate: Int, at: Instant)?
    /// What was left after a router's marks, which keep its queue empty, and what was thought before the first of them.
    private var marked: (rate: Int, before: Int, at: Instant)?
    /// What a policer lets pass, and until when that is believed.
    private var policed: (rate: Int, until: Instant)?
    /// What passes while it is tried whether there is one, what was thought before, and until when that is tried.
    private var trial: (rate: Int, before: Int, until: Instant)?

    /// - Parameter rate: the middle of the last trains.
    mutating func noteTrains(_ rate: Int, at now: Instant) { link = (rate, now) }

    /// The queue was too long, though no more than this came through.
    mutating func noteExcess(_ rate: Int, at now: Instant) { excess = (rate, now) }

    /// A router says that it was too much.
    mutating func noteMarks(before rate: Int, at now: Instant) { marked = (rate, marked?.before ?? rate, now) }

    /// This is what is sent now.
    mutating func noteMarks(after rate: Int) { marked?.rate = rate }

    /// It is tried whether a policer lets no more pass.
    mutating func beginTrial(_ rate: Int, before: Int, until: Instant) {
        trial = (rate, max(before, trial?.before ?? 0), until)
    }

    /// It does not.
    mutating func trialFound(until: Instant) {
        if let trial { policed = (trial.rate, until) }
        trial = nil
    }

    /// - Returns: what was thought before, where it is not that which loses packets.
    mutating func trialFailed() -> Int? {
        defer { trial = nil }
        return trial?.before
    }

    /// What a policer lets pass is nearly used: more is tried slowly, for it loses packets at once.
    func isNearPolicer(_ capacity: Int) -> Bool {
        policed.map { capacity * 100 > $0.rate * Limits.nearPolicerPercent } ?? false
    }

    var isOnTrial: Bool { trial != nil }
    var isPoliced: Bool { policed != nil || isOnTrial }

    /// There is none any more.
    mutating func forgetPolicer() { policed = nil }

    /// They meant nothing.
    mutating func forgetMarks() { marked = nil }

    /// What was thought before marks came.
    var unmarked: Int? { marked?.before }

    /// The path is another one, or nobody else is there any more.
    mutating func forgetExcess() { excess = nil }

    /// - Parameter emptySince: since when there has been no queue.
    /// - Returns: what was thought before a trial of which nothing more was heard.
    mutating func age(emptySince: Instant?, at now: Instant) -> Int? {
        if let link, now - link.at > Limits.linkMemory { self.link = nil }
        if let marked, now - marked.at > Limits.shareMemory { self.marked = nil }
        if let policed, now > policed.until { self.policed = nil }
        if let excess {
            let isOver = emptySince.map { now - $0 > Limits.emptyTime } ?? false
            if isOver || now - excess.at > Limits.shareMemory { forgetExcess() }
        }
        guard let trial, now > trial.until else { return nil }
        return trialFailed()
    }

    /// The most that trains may raise what is known to.
    func bound(_ capacity: Int) -> Int {
        let known = [excess?.rate, policed?.rate, trial?.rate].compactMap(\.self).min()
        return min(markBound(capacity), known.map { max(capacity, $0) } ?? .max)
    }

    /// The most that is believed because it has come.
    func markBound(_ capacity: Int) -> Int { marked.map { max(capacity, $0.rate) } ?? .max }

    /// Of what a flow is to grow by a part each second.
    func growthBase(_ capacity: Int) -> Int {
        // Behind a policer a train measures what it has saved up.
        let link = isPoliced ? 0 : link?.rate ?? 0
        return max(capacity, min(link, capacity * Limits.growthAdvantage))
    }
}
