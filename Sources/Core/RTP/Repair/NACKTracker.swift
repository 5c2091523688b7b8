import DequeModule
import Timebase

/// A receiver's list of missing sequence numbers: which of them to ask for, and when (RFC 4585 § 6.2.1).
///
/// Asked at once, but for a tolerance of a few packets or milliseconds, within which reordering mends itself; then
/// again after a round trip each, until the packet comes or the tries are used up.
package struct NACKTracker: Sendable {
    /// Missing numbers whose successors by this many have come are asked for without waiting.
    package static let toleratedPackets: Int64 = 2
    /// Otherwise they are asked for after this time.
    package static let toleratedTime: Duration = .milliseconds(5)
    /// All repair packets of a picture come within this time.
    static let parityTime: Duration = .milliseconds(1)

    /// Repair packets come behind a picture and may make asking needless: that long is waited for them; nil where none
    /// come.
    package var parityPatience: Duration?
    /// Up to this number they have come.
    private var parityReaches: (number: Int64, at: Instant)?

    private struct Missing: Sendable {
        var number: Int64
        var noticedAt: Instant
        var firstRequest: Instant?
        var requestedAt: Instant?
        var requests = 0
    }

    /// Ascending by number.
    private var missing: Deque<Missing> = []
    private var highest: Int64?
    /// The time after which a request counts as unanswered.
    package var roundTripTime: Duration
    /// From a request to what it brought, smoothed: what is told of the round trip may be seconds old.
    private var answerTime: Duration?
    package private(set) var requestsMade = 0

    package init(roundTripTime: Duration) {
        self.roundTripTime = roundTripTime
    }

    package var missingCount: Int { missing.count }

    package enum Outcome: Hashable, Sendable {
        case followed
        /// More is missing than can be asked for: all of it is given up, a keyframe is needed.
        case tooManyMissing
    }

    /// Notes an unwrapped number that came, by whatever way.
    package mutating func receive(_ number: Int64, at now: Instant) -> Outcome {
        guard let highest else {
            self.highest = number
            return .followed
        }
        guard number > highest else {
            if let entry = remove(number) { learn(entry, at: now) }
            return .followed
        }
        self.highest = number
        guard number - highest - 1 <= Int64(Limits.missingPackets - missing.count) else {
            missing.removeAll(keepingCapacity: true)
            return .tooManyMissing
        }
        for lost in (highest + 1)..<number { missing.append(Missing(number: lost, noticedAt: now)) }
        return .followed
    }

    /// Numbers below `number` are no longer wanted.
    package mutating func abandon(below number: Int64) {
        while let first = missing.first, first.number < number { missing.removeFirst() }
    }

    /// Repair packets for all up to `number` are coming in, if any are.
    package mutating func parityCame(upTo number: Int64, at now: Instant) {
        guard number > parityReaches?.number ?? .min else { return }
        parityReaches = (number, now)
        // The last packets of a picture are missed by this, and not by the next picture.
        guard let highest, number > highest, number - highest <= Int64(Limits.missingPackets - missing.count) else { return }
        for lost in (highest + 1)...number { missing.append(Missing(number: lost, noticedAt: now)) }
        self.highest = number
    }

    /// When `takeDue` will next have something to do.
    package var deadline: Instant? { missing.map { due($0) }.min() }

    /// What is due now.
    package struct Due: Hashable, Sendable {
        /// To ask for, ascending.
        package var requests: [Int64] = []
        /// The highest number whose tries are used up; nil where there is none.
        package var abandoned: Int64?
    }

    package mutating func takeDue(at now: Instant) -> Due {
        var due = Due()
        for index in missing.indices where self.due(missing[index]) <= now {
            if missing[index].requests >= Limits.requestsPerPacket {
                due.abandoned = missing[index].number
                continue
            }
            missing[index].requests += 1
            missing[index].requestedAt = now
            missing[index].firstRequest = missing[index].firstRequest ?? now
            due.requests.append(missing[index].number)
        }
        requestsMade += due.requests.count
        if let abandoned = due.abandoned { abandon(below: abandoned + 1) }
        return due
    }

    private func due(_ entry: Missing) -> Instant {
        if let requestedAt = entry.requestedAt {
            // Half of the answers take longer than the usual.
            let usual = max(roundTripTime, answerTime ?? .zero)
            return requestedAt + max(usual + usual / 8 + Limits.answerMargin, Limits.shortestRequestInterval)
        }
        if let parityPatience {
            let latest = entry.noticedAt + parityPatience
            guard let parityReaches, entry.number <= parityReaches.number else { return latest }
            return min(latest, max(entry.noticedAt, parityReaches.at + Self.parityTime))
        }
        let isOvertaken = (highest ?? entry.number) - entry.number >= Self.toleratedPackets
        return isOvertaken ? entry.noticedAt : entry.noticedAt + Self.toleratedTime
    }

    /// What was asked for more than once counts from the first time on: better too long than to ask in vain.
    private mutating func learn(_ entry: Missing, at now: Instant) {
        guard let firstRequest = entry.firstRequest else { return }
        let time = min(now - firstRequest, Limits.longestAnswer)
        answerTime = answerTime.map { $0 + (time - $0) / 8 } ?? time
    }

    private mutating func remove(_ number: Int64) -> Missing? {
        var low = 0
        var high = missing.count
        while low < high {
            let middle = (low + high) / 2
            if missing[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < missing.count, missing[low].number == number else { return nil }
        return missing.remove(at: low)
    }
}
