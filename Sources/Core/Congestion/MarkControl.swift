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
    /// So much less is to be sent.
    case yield(Double)
    /// Nothing, nor from those before: whatever was sent, all was marked.
    case distrust
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
    var isEmpty: Bool { marked + notCapable == 0 }
}

/// Explicit congestion notification towards one peer: which packets allow to be marked, and how much less is sent for
/// those that were.
///
///     testing ──a marked packet came──────────────► capable: all are marked
///        ▲ │                                          │ marks are wiped out on the way, nothing passes,
///        │ └─none of many came, or none marked──► failed │ or all is congestion whatever is sent
///        └────────after a minute──────────────────────◄──┘
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
    /// Since the test began.
    private var tested = MarkCounts()
    /// Since all are marked, a while later.
    private var verified = MarkCounts()
    private var pending = MarkCounts()
    private var nextResponse = Instant.zero
    /// What part is marked, smoothed (RFC 8257 § 3.3); 1 at first.
    private var share = 1.0
    /// What the answers in a row to marks on nearly all packets come to.
    private var fall = 1.0
    /// Packets with CE, ever.
    package private(set) var congested = 0

    package init(_ response: MarkResponse) { self.response = response }

    package var isCapable: Bool { if case .capable = phase { true } else { false } }

    /// Whether a packet that leaves now may be marked.
    package mutating func allowsNext(at now: Instant) -> Bool {
        switch phase {
        case .capable: return true
        case .failed(let at):
            if now - at >= Limits.marksRetry { restart() }
            return false
        case .testing:
            guard now >= nextTest, tests < Limits.markTests else { return false }
            firstTest = firstTest ?? now
            tests += 1
            nextTest = now + Limits.markTestInterval
            return true
        }
    }

    /// The path may be another one: it is tested anew.
    package mutating func restart() {
        phase = .testing
        (tests, firstTest, nextTest) = (0, nil, .zero)
        (tested, verified, pending) = (MarkCounts(), MarkCounts(), MarkCounts())
        // Who marks whatever comes may go on doing so: of that nothing is forgotten.
        share = 1
    }

    /// Feedback told of so many more.
    package mutating func observe(_ counts: MarkCounts, at now: Instant) {
        if counts.isEmpty { return }
        congested += counts.congested
        pending.add(counts)
        switch phase {
        case .testing: judgeTest(counts, at: now)
        case .capable(let since):
            // What left before is not marked, and may have waited for its report.
            guard now - since > Limits.longestMarkReport else { return }
            verified.add(counts)
            guard verified.marked + verified.notCapable >= Limits.packetsOfMarks else { return }
            if verified.notCapable > verified.marked { phase = .failed(at: now) }
            verified = MarkCounts()
        case .failed: return
        }
    }

    private mutating func judgeTest(_ counts: MarkCounts, at now: Instant) {
        tested.add(counts)
        if tested.marked > 0 {
            phase = .capable(since: now)
        } else if let firstTest, tests >= Limits.markTests, now - firstTest > Limits.markTestTime,
            tested.notCapable >= Limits.packetsOfMarks
        {
            phase = .failed(at: now)
        }
    }

    /// Once in a round trip; nil where nothing is marked.
    ///
    /// - Parameter queueIsShort: nothing else tells that it was too much.
    package mutating func takeVerdict(queueIsShort: Bool, roundTrip: Duration, at now: Instant) -> MarkVerdict? {
        guard isCapable, now >= nextResponse, pending.marked > 0 else { return nil }
        let part = Double(pending.congested) / Double(pending.marked)
        pending = MarkCounts()
        // The share is that of a whole round trip; a single mark of the other kind is answered at once.
        if part > 0 || response == .scalable { nextResponse = now + roundTrip + Limits.feedbackInterval }
        share += (part - share) * Limits.gainOfMarks
        guard part > 0 else { return nil }
        let factor = response == .scalable ? 1 - share / 2 : Limits.yieldToMark
        fall = part > Limits.saturation && queueIsShort ? fall * factor : 1
        guard fall < Limits.fallOfSaturation else { return .yield(factor) }
        phase = .failed(at: now)
        return .distrust
    }
}

extension MarkCounts {
    mutating func add(_ other: MarkCounts) {
        capable += other.capable
        congested += other.congested
        notCapable += other.notCapable
    }
}
