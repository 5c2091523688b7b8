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
    /// What a policer lets pass, until when that is believed, and what was thought before.
    private var policed: (rate: Int, before: Int, until: Instant)?

    /// - Parameter rate: the middle of the last trains.
    mutating func noteTrains(_ rate: Int, at now: Instant) { link = (rate, now) }

    /// The queue was too long, though no more than this came through.
    mutating func noteExcess(_ rate: Int, at now: Instant) { excess = (rate, now) }

    /// A router says that it was too much.
    mutating func noteMarks(before rate: Int, at now: Instant) { marked = (rate, marked?.before ?? rate, now) }

    /// This is what is sent now.
    mutating func noteMarks(after rate: Int) { marked?.rate = rate }

    /// It is tried, or was found, that a policer lets no more pass.
    mutating func notePolicer(_ rate: Int, before: Int, until: Instant) {
        policed = (rate, policed?.before ?? before, until)
    }

    var passesPolicer: Int? { policed?.rate }
    /// What was thought before it.
    var unpoliced: Int? { policed?.before }

    mutating func forgetPolicer() { policed = nil }

    /// They meant nothing.
    mutating func forgetMarks() { marked = nil }

    /// What was thought before marks came.
    var unmarked: Int? { marked?.before }

    /// The path is another one, or nobody else is there any more.
    mutating func forgetExcess() { excess = nil }

    /// - Parameter emptySince: since when there has been no queue.
    mutating func age(emptySince: Instant?, at now: Instant) {
        if let link, now - link.at > Limits.linkMemory { self.link = nil }
        if let marked, now - marked.at > Limits.shareMemory { self.marked = nil }
        if let policed, now > policed.until { self.policed = nil }
        guard let excess else { return }
        let isOver = emptySince.map { now - $0 > Limits.emptyTime } ?? false
        if isOver || now - excess.at > Limits.shareMemory { forgetExcess() }
    }

    /// The most that trains may raise what is known to.
    func bound(_ capacity: Int) -> Int {
        min(markBound(capacity), [excess?.rate, policed?.rate].compactMap { $0.map { max(capacity, $0) } }.min() ?? .max)
    }

    /// The most that is believed because it has come.
    func markBound(_ capacity: Int) -> Int { marked.map { max(capacity, $0.rate) } ?? .max }

    /// Of what a flow is to grow by a part each second.
    func growthBase(_ capacity: Int) -> Int {
        // Behind a policer a train measures what it has saved up.
        let link = policed == nil ? link?.rate ?? 0 : 0
        return max(capacity, min(link, capacity * Limits.growthAdvantage))
    }
}
