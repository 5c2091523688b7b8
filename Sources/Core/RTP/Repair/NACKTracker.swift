import DequeModule
import Timebase

/// A receiver's list of missing sequence numbers: which of them to ask for, and when (RFC 4585 § 6.2.1).
///
/// Asked at once, but for a tolerance of a few packets or milliseconds, within which reordering mends itself; then
/// again after a round trip each, until the packet comes or the tries are used up.
struct NACKTracker: Sendable {
    /// Missing numbers whose successors by this many have come are asked for without waiting.
    static let toleratedPackets: Int64 = 2
    /// Otherwise they are asked for after this time; and so much later than the next, answers may come.
    static let toleratedTime: Duration = .milliseconds(5)
    /// All repair packets of a picture come within this time of the first.
    static let repairPacketsTime: Duration = .milliseconds(1)
    /// And within so many times what lies between two packets, and what a timer is late by.
    static let repairPacketsDistances = 2
    static let timerLateness: Duration = .microseconds(100)

    /// Repair packets come behind a picture and may make asking needless: that long is waited for them; nil where none
    /// come.
    var repairPacketPatience: Duration?
    /// Up to this number they have come.
    private var repairPacketsReach: (number: Int64, at: Instant)?
    /// How many came last, and whether others have come since: as many missing packets of the next picture they will
    /// bring back.
    private var repairPackets = (count: 1, areOver: true)

    private struct Missing: Sendable {
        var number: Int64
        var noticedAt: Instant
        var firstRequest: Instant?
        var requestedAt: Instant?
        var requests = 0
        /// When an answer came that was asked for together with it or later, and should have come behind it.
        var overtakenAt: Instant?
    }

    /// Ascending by number.
    private var missing: Deque<Missing> = []
    private var highest: Int64?
    private var highestCameAt: Instant?
    /// Between two packets in order, smoothed; a pause between pictures counts as `repairPacketsTime`.
    private var distance = Self.repairPacketsTime
    /// The time after which a request counts as unanswered.
    var roundTripTime: Duration
    /// From a request to what it brought, smoothed, and by how much that varies (RFC 6298 § 2): what is told of the round
    /// trip may be seconds old, and knows nothing of how long many packets take one after the other.
    private var answerTime: Duration?
    private var answerVariation = Duration.zero
    /// Asked for and given up: what comes of them all the same tells that answers take longer than was thought.
    private var givenUp: Deque<Missing> = []
    private(set) var requestsMade = 0

    init(roundTripTime: Duration) {
        self.roundTripTime = roundTripTime
    }

    var missingCount: Int { missing.count }

    /// What was asked for and has not come; ascending.
    var awaited: [Int64] { missing.compactMap { $0.requestedAt == nil ? nil : $0.number } }

    enum Outcome: Hashable, Sendable {
        case followed
        /// More is missing than can be asked for: all of it is given up, a keyframe is needed.
        case tooManyMissing
    }

    /// Notes an unwrapped number that came.
    ///
    /// - Parameter isAnswer: whether it was sent again; else it came late, or was recovered from others.
    mutating func receive(_ number: Int64, isAnswer: Bool = false, at now: Instant) -> Outcome {
        guard let highest else {
            self.highest = number
            return .followed
        }
        guard number > highest else {
            if let entry = remove(number) {
                if isAnswer { learn(entry, at: now) }
            } else if isAnswer {
                learnLate(number, at: now)
            }
            return .followed
        }
        self.highest = number
        repairPackets.areOver = true
        noteDistance(isNext: number == highest + 1, at: now)
        guard number - highest - 1 <= Int64(Limits.missingPackets - missing.count) else {
            missing.removeAll(keepingCapacity: true)
            return .tooManyMissing
        }
        for lost in (highest + 1)..<number { missing.append(Missing(number: lost, noticedAt: now)) }
        return .followed
    }

    private mutating func noteDistance(isNext: Bool, at now: Instant) {
        if isNext, let highestCameAt { distance += (min(now - highestCameAt, Self.repairPacketsTime) - distance) / 16 }
        highestCameAt = now
    }

    /// Numbers below `number` are no longer wanted.
    mutating func abandon(below number: Int64) {
        while let first = missing.first, first.number < number {
            missing.removeFirst()
            guard first.firstRequest != nil else { continue }
            if givenUp.count >= Limits.rememberedRequests { givenUp.removeFirst() }
            givenUp.append(first)
        }
    }

    /// Repair packets for all up to `number` are coming in, if any are.
    ///
    /// - Parameter isRepairPacket: one of them is there; else it was the last source packet that they are for.
    mutating func repairPacketsCome(upTo number: Int64, isRepairPacket: Bool = false, at now: Instant) {
        if isRepairPacket { repairPackets = (repairPackets.areOver ? 1 : repairPackets.count + 1, false) }
        guard number > repairPacketsReach?.number ?? .min else { return }
        repairPacketsReach = (number, now)
        // The last packets of a picture are missed by this, and not by the next picture.
        guard let highest, number > highest, number - highest <= Int64(Limits.missingPackets - missing.count) else { return }
        for lost in (highest + 1)...number { missing.append(Missing(number: lost, noticedAt: now)) }
        self.highest = number
    }

    /// When `takeDue` will next have something to do.
    var deadline: Instant? {
        let isBeyond = isBeyondRepair
        return missing.map { due($0, isBeyond) }.min()
    }

    /// What is due now.
    struct Due: Hashable, Sendable {
        /// To ask for, ascending.
        var requests: [Int64] = []
        /// Whether any of them was asked for before.
        var isRepeated = false
        /// The highest number whose tries are used up; nil where there is none.
        var abandoned: Int64?
    }

    mutating func takeDue(at now: Instant) -> Due {
        var due = Due()
        let isBeyond = isBeyondRepair
        for index in missing.indices where self.due(missing[index], isBeyond) <= now {
            if missing[index].requests >= Limits.requestsPerPacket {
                due.abandoned = missing[index].number
                continue
            }
            if missing[index].requests > 0 { due.isRepeated = true }
            missing[index].requests += 1
            missing[index].firstRequest = missing[index].firstRequest ?? now
            missing[index].requestedAt = now
            missing[index].overtakenAt = nil
            due.requests.append(missing[index].number)
        }
        requestsMade += due.requests.count
        if let abandoned = due.abandoned { abandon(below: abandoned + 1) }
        return due
    }

    /// More is missing, and not merely late, than repair packets will bring back: all of it has to be sent again, for what
    /// is sent again helps them no further.
    private var isBeyondRepair: Bool {
        guard repairPacketPatience != nil, let highest, let first = missing.first(where: { $0.requests == 0 })
        else { return false }
        return highest - first.number >= Self.toleratedPackets && missing.count { $0.requests == 0 } > repairPackets.count
    }

    private func due(_ entry: Missing, _ isBeyondRepair: Bool) -> Instant {
        if let requestedAt = entry.requestedAt {
            // Half of the answers take longer than the usual.
            let patience = usualAnswer + max(usualAnswer / 8, answerVariation * 2) + Limits.answerMargin
            let latest = requestedAt + max(patience, Limits.shortestRequestInterval)
            let behindOthers = (entry.overtakenAt ?? latest) + max(Self.toleratedTime, answerVariation * 2)
            return min(latest, max(behindOthers, requestedAt + Limits.shortestRequestInterval))
        }
        if let repairPacketPatience {
            if isBeyondRepair { return entry.noticedAt }
            let latest = entry.noticedAt + repairPacketPatience
            guard let repairPacketsReach, entry.number <= repairPacketsReach.number else { return latest }
            let rest = min(Self.repairPacketsTime, distance * Self.repairPacketsDistances + Self.timerLateness)
            return min(latest, max(entry.noticedAt, repairPacketsReach.at + rest))
        }
        let isOvertaken = (highest ?? entry.number) - entry.number >= Self.toleratedPackets
        return isOvertaken ? entry.noticedAt : entry.noticedAt + Self.toleratedTime
    }

    /// From a request to what it brings, as a rule.
    var usualAnswer: Duration { max(roundTripTime, answerTime ?? .zero) }

    /// What is known of the round trip, and of answers: the shorter of both.
    var quickestAnswer: Duration { min(roundTripTime, answerTime ?? roundTripTime) }

    /// Of several requests the last one was answered, where an answer can be there by now; else one of those before.
    private mutating func learn(_ entry: Missing, at now: Instant) {
        guard let requestedAt = entry.requestedAt else { return }
        if now - requestedAt >= (answerTime ?? roundTripTime) * 3 / 4 {
            overtake(before: entry, at: now)
            learn(now - requestedAt)
        } else {
            learnLonger(since: entry.firstRequest ?? requestedAt, at: now)
        }
    }

    private mutating func learnLate(_ number: Int64, at now: Instant) {
        guard let index = givenUp.firstIndex(where: { $0.number == number }) else { return }
        let entry = givenUp.remove(at: index)
        guard let firstRequest = entry.firstRequest, let requestedAt = entry.requestedAt,
            now - requestedAt < Limits.longestAnswer
        else { return }
        learnLonger(since: firstRequest, at: now)
    }

    /// Which request was answered is not known, but that answers take longer than was thought. They are taken to take
    /// half as long again at most: many of them lead to any time, and a few that were lost again and again do little harm.
    private mutating func learnLonger(since firstRequest: Instant, at now: Instant) {
        learn(min(now - firstRequest, answerTime.map { $0 * 3 / 2 } ?? Limits.longestAnswer))
    }

    private mutating func learn(_ time: Duration) {
        let time = min(time, Limits.longestAnswer)
        guard let answerTime else { return self.answerTime = time }
        let error = time - answerTime
        answerVariation += (error.magnitude - answerVariation) / 4
        self.answerTime = answerTime + error / 8
    }

    /// Answers leave in the order of what was asked for.
    private mutating func overtake(before answered: Missing, at now: Instant) {
        guard let answeredRequest = answered.requestedAt else { return }
        for index in missing.indices {
            guard let requestedAt = missing[index].requestedAt, missing[index].overtakenAt == nil else { continue }
            let isBefore = requestedAt < answeredRequest || missing[index].number < answered.number
            if requestedAt <= answeredRequest, isBefore { missing[index].overtakenAt = now }
        }
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
