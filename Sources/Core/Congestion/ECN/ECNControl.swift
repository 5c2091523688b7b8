import Timebase

/// What a packet came with (RFC 3168 § 5): which ECT it left with is known.
package enum ECNCodepoint: Sendable {
    case notCapable
    /// ECT(0) or ECT(1): routers may mark it.
    case capable
    /// CE: one did.
    case congestionExperienced
}

/// How marks are answered.
package enum ECNResponse: Sendable {
    /// As loss would be: packets carry ECT(0) (RFC 3168).
    case classic
    /// In proportion to how much is marked: packets carry ECT(1) (RFC 9331).
    case scalable
}

/// What follows from what packets came with.
package enum ECNVerdict: Hashable, Sendable {
    /// So much less is to be sent; of late such a part of the packets was marked.
    case yield(Double, part: Double)
    /// Nothing, nor from those before, which made so much of what was sent: whatever that was, all was marked.
    case distrust(Double)
}

/// How many packets came with which codepoint.
package struct ECNCounts: Hashable, Sendable {
    package var capable: Int
    package var congestionExperienced: Int
    package var notCapable: Int

    package init(capable: Int = 0, congestionExperienced: Int = 0, notCapable: Int = 0) {
        self.capable = capable
        self.congestionExperienced = congestionExperienced
        self.notCapable = notCapable
    }

    package mutating func count(_ ecn: ECNCodepoint) {
        switch ecn {
        case .notCapable: notCapable += 1
        case .capable: capable += 1
        case .congestionExperienced: congestionExperienced += 1
        }
    }

    /// Routers could mark them, or did.
    var markable: Int { capable + congestionExperienced }
    var isSaturated: Bool { Double(congestionExperienced) > Double(markable) * Limits.saturation }
    var isEmpty: Bool { markable + notCapable == 0 }
}

/// Explicit congestion notification towards one peer: which packets allow to be marked, and how much less is sent for
/// those that were.
///
///     testing ──one came with ECT or CE───────────► capable: all leave with ECT
///        ▲ │                                          │ ECT is wiped out on the way or not told of, nothing
///        │ └─none of some came, or none with it► failed │ passes, much is lost, or all is marked whatever is sent
///        └────────after a minute, two, four──────◄──────┘
///
/// Begins with a small part of the packets (RFC 6679 § 7.2.1), because some networks drop or clear what they do not know
/// (§ 7.4). Marks are answered once in a round trip: ECT(0)'s by a tenth, as RFC 8298 § 4.1.2.1 does, ECT(1)'s in
/// proportion to how many there are (RFC 9331 § 4.3; the average is RFC 8257's, § 3.3).
package struct ECNControl: Sendable {
    private enum Phase: Sendable {
        case testing
        case capable(since: Instant)
        case failed(at: Instant)
    }

    private let response: ECNResponse
    private var phase = Phase.testing
    private var tests = 0
    private var firstTest: Instant?
    private var nextTest = Instant.zero
    /// Packets without a permission since the last test.
    private var plain = 0
    /// Since the test began.
    private var tested = ECNCounts()
    /// Since all leave with ECT, a while later.
    private var verified = ECNCounts()
    /// Packets of whose ECN nobody told, and since when.
    private var untold = (packets: 0, since: Instant.zero)
    /// In a row, each of which makes the next attempt wait longer.
    private var failures = 0
    /// Of the present round trip, and what came since an answer shows.
    private var window = ECNCounts()
    private var fresh = ECNCounts()
    /// Of the last few hundred packets.
    private var recent = ECNCounts()
    private var nextAverage = Instant.zero
    private var nextResponse = Instant.zero
    /// What part is marked, smoothed (RFC 8257 § 3.3); 1 at first.
    private var share = 1.0
    /// What the answers in a row to marks on nearly all packets come to.
    private var fall = 1.0
    /// What came meanwhile.
    private var saturated = ECNCounts()
    /// Packets with CE, ever.
    package private(set) var congestionMarks = 0

    package init(_ response: ECNResponse) { self.response = response }

    package var isCapable: Bool { if case .capable = phase { true } else { false } }

    /// Whether a packet that leaves now may be marked.
    package mutating func allowsNext(at now: Instant) -> Bool {
        switch phase {
        case .capable: return true
        case .failed(let at):
            if now - at >= Limits.ecnRetry * (1 << min(failures - 1, Limits.ecnRetryDoublings)) { beginTest() }
            return false
        case .testing:
            guard now >= nextTest, plain >= Limits.packetsPerECNTest, tests < Limits.ecnTests else {
                plain += 1
                return false
            }
            firstTest = firstTest ?? now
            tests += 1
            plain = 0
            nextTest = now + Limits.ecnTestInterval
            return true
        }
    }

    private mutating func beginTest() {
        phase = .testing
        (tests, firstTest, nextTest, plain) = (0, nil, .zero, 0)
        (tested, verified) = (ECNCounts(), ECNCounts())
        (window, fresh, recent) = (ECNCounts(), ECNCounts(), ECNCounts())
        // Who marks whatever comes may go on doing so: of that nothing is forgotten.
        share = 1
    }

    // MARK: What becomes of marks

    /// Feedback told of so many packets that came, and what some came with.
    package mutating func observe(_ counts: ECNCounts, arrivals: Int, at now: Instant) {
        congestionMarks += counts.congestionExperienced
        switch phase {
        case .testing: judgeTest(counts, at: now)
        case .capable(let since):
            window.add(counts)
            recent.add(counts)
            saturated.add(counts)
            if recent.markable > Limits.packetsOfPart { recent.halve() }
            // Marks on what left before the last answer ask for no other (RFC 8298 § 4.1.2.1).
            if now >= nextResponse { fresh.add(counts) }
            verify(counts, arrivals, since: since, at: now)
        case .failed: return
        }
    }

    private mutating func judgeTest(_ counts: ECNCounts, at now: Instant) {
        // What is told before the first test is of an earlier one.
        guard let firstTest else { return }
        tested.add(counts)
        if tested.markable > 0 {
            phase = .capable(since: now)
            untold = (0, now)
        } else if tests >= Limits.ecnTests, now - firstTest > Limits.ecnTestTime,
            tested.notCapable >= Limits.packetsOfECNCheck
        {
            fail(at: now)
        }
    }

    private mutating func verify(_ counts: ECNCounts, _ arrivals: Int, since: Instant, at now: Instant) {
        untold = counts.isEmpty ? (untold.packets + arrivals, untold.since) : (0, now)
        if untold.packets >= Limits.packetsOfECNCheck, now - untold.since > Limits.longestECNFeedbackInterval {
            return fail(at: now)
        }
        // What left before had no ECT, and may have waited for its report.
        guard now - since > Limits.longestECNFeedbackInterval else { return }
        verified.add(counts)
        guard verified.markable + verified.notCapable >= Limits.packetsOfECNCheck else { return }
        if verified.notCapable > verified.markable { return fail(at: now) }
        verified = ECNCounts()
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
    package mutating func takeVerdict(queueIsShort: Bool, roundTrip: Duration, at now: Instant) -> ECNVerdict? {
        guard isCapable else { return nil }
        average(roundTrip, at: now)
        guard now >= nextResponse, fresh.markable > 0 else { return nil }
        let isSaturated = fresh.isSaturated && saturated.isSaturated
        if !isSaturated { (fall, saturated) = (1, ECNCounts()) }
        defer { fresh = ECNCounts() }
        guard fresh.congestionExperienced > 0 else { return nil }
        nextResponse = now + roundTrip + Limits.feedbackInterval
        let factor = response == .scalable ? 1 - share / 2 : Limits.yieldToMark
        // Beside a queue the answer counts for that; what was seen before it holds.
        if isSaturated, queueIsShort, fall >= Limits.fallOfSaturation { fall *= factor }
        guard fall < Limits.fallOfSaturation, saturated.markable >= Limits.packetsOfSaturation else {
            return .yield(factor, part: Double(recent.congestionExperienced) / Double(max(1, recent.markable)))
        }
        defer { (fall, saturated) = (1, ECNCounts()) }
        fail(at: now)
        return .distrust(fall)
    }

    private mutating func average(_ roundTrip: Duration, at now: Instant) {
        guard now >= nextAverage, window.markable > 0 else { return }
        nextAverage = now + roundTrip + Limits.feedbackInterval
        share += (Double(window.congestionExperienced) / Double(window.markable) - share) * Limits.gainOfMarks
        window = ECNCounts()
    }
}

extension ECNCounts {
    mutating func add(_ other: ECNCounts) {
        capable += other.capable
        congestionExperienced += other.congestionExperienced
        notCapable += other.notCapable
    }

    mutating func halve() {
        (capable, congestionExperienced, notCapable) = (capable / 2, (congestionExperienced + 1) / 2, notCapable / 2)
    }
}
