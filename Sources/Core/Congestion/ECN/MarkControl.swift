import Timebase

/// What a packet came with (RFC 3168 § 5).
package enum PacketMark: Sendable {
    case notCapable
    /// ECT(0) or ECT(1), as it left.
    case capable
    /// CE.
    case congested
}

/// How marks are answered.
package enum MarkResponse: Sendable {
    /// As loss would be: packets carry ECT(0) (RFC 3168).
    case classic
    /// In proportion to how much is marked: packets carry ECT(1) (RFC 9331).
    case scalable
}

/// What follows from marks.
package enum MarkVerdict: Hashable, Sendable {
    /// So much less is to be sent; of late such a part of the packets had marks.
    case yield(Double, part: Double)
    /// Nothing, nor from those before, which made so much of what was sent: whatever that was, all was marked.
    case distrust(Double)
}

/// How many packets came with which mark.
package struct MarkCounts: Hashable, Sendable {
    package var capable: Int
    package var congested: Int
    package var notCapable: Int

    package init(capable: Int = 0, congested: Int = 0, notCapable: Int = 0) {
        self.capable = capable
        self.congested = congested
        self.notCapable = notCapable
    }

    package mutating func count(_ mark: PacketMark) {
        switch mark {
        case .notCapable: notCapable += 1
        case .capable: capable += 1
        case .congested: congested += 1
        }
    }

    var marked: Int { capable + congested }
    var isSaturated: Bool { Double(congested) > Double(marked) * Limits.saturation }
    var isEmpty: Bool { marked + notCapable == 0 }
}

/// Explicit congestion notification towards one peer: which packets allow to be marked, and how much less is sent for
/// those that were.
///
///     testing ──a marked packet came──────────────► capable: all are marked
///        ▲ │                                          │ marks are wiped out on the way or not told of, nothing
///        │ └─none of some came, or none marked─► failed │ passes, much is lost, or all is marked whatever is sent
///        └────────after a minute, two, four──────◄──────┘
///
/// Begins with a small part of the packets (RFC 6679 § 7.2.1), because some networks drop or clear what they do not know
/// (§ 7.4). Marks are answered once in a round trip: ECT(0)'s by a tenth, as RFC 8298 § 4.1.2.1 does, ECT(1)'s in
/// proportion to how many there are (RFC 9331 § 4.3; the average is RFC 8257's, § 3.3).
package struct MarkControl: Sendable {
    private enum Phase: Sendable {
        case testing
        case capable(since: Instant)
        case failed(at: Instant)
    }

    private let response: MarkResponse
    private var phase = Phase.testing
    private var tests = 0
    private var firstTest: Instant?
    private var nextTest = Instant.zero
    /// Packets without a permission since the last test.
    private var plain = 0
    /// Since the test began.
    private var tested = MarkCounts()
    /// Since all are marked, a while later.
    private var verified = MarkCounts()
    /// Packets whose marks nobody told of, and since when.
    private var untold = (packets: 0, since: Instant.zero)
    /// In a row, each of which makes the next attempt wait longer.
    private var failures = 0
    /// Of the present round trip, and what came since an answer shows.
    private var window = MarkCounts()
    private var fresh = MarkCounts()
    /// Of the last few hundred packets.
    private var recent = MarkCounts()
    private var nextAverage = Instant.zero
    private var nextResponse = Instant.zero
    /// What part is marked, smoothed (RFC 8257 § 3.3); 1 at first.
    private var share = 1.0
    /// What the answers in a row to marks on nearly all packets come to.
    private var fall = 1.0
    /// What came meanwhile.
    private var saturated = MarkCounts()
    /// Packets with CE, ever.
    package private(set) var congested = 0

    package init(_ response: MarkResponse) { self.response = response }

    package var isCapable: Bool { if case .capable = phase { true } else { false } }

    /// Whether a packet that leaves now may be marked.
    package mutating func allowsNext(at now: Instant) -> Bool {
        switch phase {
        case .capable: return true
        case .failed(let at):
            if now - at >= Limits.marksRetry * (1 << min(failures - 1, Limits.marksRetryDoublings)) { beginTest() }
            return false
        case .testing:
            guard now >= nextTest, plain >= Limits.packetsPerMarkTest, tests < Limits.markTests else {
                plain += 1
                return false
            }
            firstTest = firstTest ?? now
            tests += 1
            plain = 0
            nextTest = now + Limits.markTestInterval
            return true
        }
    }

    private mutating func beginTest() {
        phase = .testing
        (tests, firstTest, nextTest, plain) = (0, nil, .zero, 0)
        (tested, verified) = (MarkCounts(), MarkCounts())
        (window, fresh, recent) = (MarkCounts(), MarkCounts(), MarkCounts())
        // Who marks whatever comes may go on doing so: of that nothing is forgotten.
        share = 1
    }

    // MARK: What becomes of marks

    /// Feedback told of so many packets that came, and of the marks on some.
    package mutating func observe(_ counts: MarkCounts, arrivals: Int, at now: Instant) {
        congested += counts.congested
        switch phase {
        case .testing: judgeTest(counts, at: now)
        case .capable(let since):
            window.add(counts)
            recent.add(counts)
            saturated.add(counts)
            if recent.marked > Limits.packetsOfPart { recent.halve() }
            // Marks on what left before the last answer ask for no other (RFC 8298 § 4.1.2.1).
            if now >= nextResponse { fresh.add(counts) }
            verify(counts, arrivals, since: since, at: now)
        case .failed: return
        }
    }

    private mutating func judgeTest(_ counts: MarkCounts, at now: Instant) {
        // What is told before the first test is of an earlier one.
        guard let firstTest else { return }
        tested.add(counts)
        if tested.marked > 0 {
            phase = .capable(since: now)
            untold = (0, now)
        } else if tests >= Limits.markTests, now - firstTest > Limits.markTestTime,
            tested.notCapable >= Limits.packetsOfMarks
        {
            fail(at: now)
        }
    }

    private mutating func verify(_ counts: MarkCounts, _ arrivals: Int, since: Instant, at now: Instant) {
        untold = counts.isEmpty ? (untold.packets + arrivals, untold.since) : (0, now)
        if untold.packets >= Limits.packetsOfMarks, now - untold.since > Limits.longestMarkReport { return fail(at: now) }
        // What left before is not marked, and may have waited for its report.
        guard now - since > Limits.longestMarkReport else { return }
        verified.add(counts)
        guard verified.marked + verified.notCapable >= Limits.packetsOfMarks else { return }
        if verified.notCapable > verified.marked { return fail(at: now) }
        verified = MarkCounts()
        failures = 0
    }

    private mutating func fail(at now: Instant) {
        phase = .failed(at: now)
        failures += 1
    }

    /// Packets that may be marked do not come, or nothing does: it may be the permission that does not pass (RFC 6679
    /// § 7.4.1).
    package mutating func doubt(at now: Instant) {
        switch phase {
        case .testing where firstTest != nil: fail(at: now)
        case .capable: fail(at: now)
        case .testing, .failed: return
        }
    }

    // MARK: The answer

    /// Once in a round trip; nil where nothing is marked.
    ///
    /// - Parameters:
    ///   - queueIsShort: nothing else tells that it was too much.
    ///   - roundTrip: the queue's delay with it.
    package mutating func takeVerdict(queueIsShort: Bool, roundTrip: Duration, at now: Instant) -> MarkVerdict? {
        guard isCapable else { return nil }
        average(roundTrip, at: now)
        guard now >= nextResponse, fresh.marked > 0 else { return nil }
        let isSaturated = fresh.isSaturated && saturated.isSaturated
        if !isSaturated { (fall, saturated) = (1, MarkCounts()) }
        defer { fresh = MarkCounts() }
        guard fresh.congested > 0 else { return nil }
        nextResponse = now + roundTrip + Limits.feedbackInterval
        let factor = response == .scalable ? 1 - share / 2 : Limits.yieldToMark
        // Beside a queue the answer counts for that; what was seen before it holds.
        if isSaturated, queueIsShort, fall >= Limits.fallOfSaturation { fall *= factor }
        guard fall < Limits.fallOfSaturation, saturated.marked >= Limits.packetsOfSaturation else {
            return .yield(factor, part: Double(recent.congested) / Double(max(1, recent.marked)))
        }
        defer { (fall, saturated) = (1, MarkCounts()) }
        fail(at: now)
        return .distrust(fall)
    }

    private mutating func average(_ roundTrip: Duration, at now: Instant) {
        guard now >= nextAverage, window.marked > 0 else { return }
        nextAverage = now + roundTrip + Limits.feedbackInterval
        share += (Double(window.congested) / Double(window.marked) - share) * Limits.gainOfMarks
        window = MarkCounts()
    }
}

extension MarkCounts {
    mutating func add(_ other: MarkCounts) {
        capable += other.capable
        congested += other.congested
        notCapable += other.notCapable
    }

    mutating func halve() {
        (capable, congested, notCapable) = (capable / 2, (congested + 1) / 2, notCapable / 2)
    }
}
