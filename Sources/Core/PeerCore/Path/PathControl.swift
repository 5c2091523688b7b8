import Congestion
import Datagrams
import RTP
import Timebase

/// One peer's outgoing packets as the path sees them: numbers all of them in the order in which they leave, learns from
/// the peer's feedback what the path takes, and says what may leave.
struct PathControl {
    /// By what the path is known.
    enum Evidence {
        /// The peer tells nothing of single packets: reports, REMB, round trips and what it asks for.
        case reportsOnly
        /// Feedback on packets was agreed on, and none has come yet, or none comes any more: what reports say counts as well.
        case reportsUntilFeedback
        /// Feedback on packets.
        case feedback
    }

    private var next: Int64
    /// The number of a packet that is about to leave.
    private var taken: Int64?
    private(set) var estimator: BandwidthEstimator
    private(set) var reported: ReportedRate
    /// Until feedback on packets comes: nothing passes, as far as checks tell.
    var unanswered = UnansweredSilence()
    private var missingFeedback: MissingFeedback
    /// What both sides agreed on.
    private let feedback: PathFeedback
    /// What packets may carry for routers; nil: no permission to mark them.
    private let ecn: ECN?
    private var ecnFeedback = ECNFeedbackHistory()
    private var streamNumbers = StreamNumbers()
    /// Of the peer's reports by stream.
    private var reportTimes = Unwrapper<UInt32>()
    private var feedbackBudget: TokenBucket
    /// Feedback was agreed on, and until it comes no more than this may leave.
    private var credit: Int
    private var creditEnds: Instant?
    private var maximum: Int
    private var probe = IdleProbe()
    /// Pictures leave no faster than the path takes them.
    private var sparesQueue = false
    private var sparesUntil = Instant.zero
    private var told: PathState?
    private var toldAt = Instant.zero
    /// What sound takes, in bits per second.
    private(set) var rateOfSound = 0

    init(_ parameters: SendParameters?, random: inout any RandomNumberGenerator & Sendable, at now: Instant) {
        // RFC 3550 § 5.1 wants random starts of every counter.
        next = Int64(UInt16.random(in: 0..<0x8000, using: &random))
        maximum = parameters?.bitsPerSecond ?? 0
        feedback = parameters?.feedback ?? .none
        ecn = parameters?.ecn
        missingFeedback = MissingFeedback(parameters)
        reported = ReportedRate(maximum: maximum)
        estimator = Self.estimator(start: Limits.startRate, maximum: maximum, feedback, ecn)
        feedbackBudget = TokenBucket(
            perSecond: Limits.feedbacksPerSecond, capacity: Limits.feedbacksPerSecond, at: now)
        credit = Limits.startCredit
    }

    /// Media is about to begin.
    mutating func begin(roundTrip: Duration?) {
        guard let roundTrip, roundTrip < Limits.localRoundTrip else {
            if evidence == .reportsOnly { reported.begin(roundTrip: roundTrip ?? Limits.assumedRoundTrip) }
            return
        }
        estimator = Self.estimator(start: Limits.localStartRate, maximum: maximum, feedback, ecn)
        credit = Limits.localStartCredit
    }

    private static func estimator(
        start: Int, maximum: Int, _ feedback: PathFeedback, _ ecn: ECN?
    ) -> BandwidthEstimator {
        BandwidthEstimator(
            start: start, maximum: maximum * Limits.pacingFactor,
            resolution: feedback == .perStream
                ? Congestion.Limits.streamArrivalResolution : Congestion.Limits.arrivalResolution,
            ecn: feedback == .none ? nil : ecn.map { $0 == .capable1 ? .scalable : .classic })
    }

    mutating func setMaximum(_ bitsPerSecond: Int) {
        maximum = bitsPerSecond
        reported.setMaximum(bitsPerSecond)
        estimator.setMaximum(bitsPerSecond * Limits.pacingFactor)
    }

    /// Packets take another path from now on.
    mutating func moved(roundTrip: Duration?, at now: Instant) {
        let isLocal = roundTrip.map { $0 < Limits.localRoundTrip } ?? false
        estimator.moved(at: now, start: isLocal ? Limits.localStartRate : Limits.startRate)
        reported.moved()
        probe = IdleProbe()
    }

    private var evidence: Evidence {
        if estimator.hasFeedback { return .feedback }
        return feedback == .none ? .reportsOnly : .reportsUntilFeedback
    }
    /// No feedback comes: what reports say counts.
    var goesByReports: Bool { evidence != .feedback }

    // MARK: Out

    /// The number of the packet that leaves next, where packets of its section carry one.
    mutating func takeNumber(_ extensions: ExtensionMap) -> UInt16? {
        guard extensions.id(of: .transportSequenceNumber) != nil else { return nil }
        next += 1
        taken = next
        return UInt16(truncatingIfNeeded: next)
    }

    /// The one that leaves next, whether it carries its number or not.
    var number: Int64 { taken ?? next + 1 }

    /// What feedback told not to have come, once.
    mutating func takeLost() -> [Int64] { estimator.takeLost() }

    /// Whether the peer has told that it did not come.
    func isLost(_ number: Int64) -> Bool { estimator.isLost(number) }

    /// What the packet that leaves next carries for routers.
    mutating func nextECN(at now: Instant) -> ECN {
        guard let ecn, estimator.allowsMark(at: now) else { return .notCapable }
        return ecn
    }

    /// A packet has left: with the number taken last or, where the peer needs none in it, with the next.
    mutating func sent(_ packet: [UInt8], _ dscp: DSCP, at now: Instant) {
        if dscp == .video { unanswered.sent(at: now) }
        switch feedback {
        case .none: return reported.sent(bytes: packet.count, isPicture: dscp == .video, at: now)
        case .transportWide: guard taken != nil else { return }
        case .perStream:
            if taken == nil { next += 1 }
            streamNumbers.record(packet, as: next)
        }
        taken = nil
        estimator.sent(next, bytes: packet.count + Limits.ipOverhead, isFavoured: dscp == .audio, at: now)
        if goesByReports {
            reported.sent(bytes: packet.count, isPicture: dscp == .video, at: now)
            credit -= packet.count
            creditEnds = creditEnds ?? now + Limits.creditTime
        }
    }

    /// When pictures may leave, for all that is under way; nil: not before the peer tells of it.
    func mayLeave(at now: Instant) -> Instant? {
        if let due = unanswered.due { return due }
        switch evidence {
        case .reportsOnly: return reported.mayLeave(at: now)
        case .reportsUntilFeedback:
            let free = credit > 0 ? now : creditEnds
            return free.map { max($0, reported.mayLeave(at: now)) }
        case .feedback: return estimator.mayLeave(at: now)
        }
    }

    /// When a packet is wanted that only measures the path; nil where there is nothing to be learnt.
    var probeDue: Instant? {
        guard evidence == .feedback, !estimator.isSilent else { return nil }
        let isWanted = estimator.capacity < maximum * Limits.knownFactor && estimator.queueDelay < Limits.queueOfProbe
        return probe.due(isWanted: isWanted, capacity: estimator.capacity)
    }

    mutating func probeSent(at now: Instant) {
        probe.sent(capacity: estimator.capacity, rate: pacingRate, at: now)
    }

    /// Pictures leave.
    ///
    /// - Parameter packets: of the picture.
    mutating func mediaSent(packets: Int, at now: Instant) {
        if packets >= Limits.packetsOfMeasure {
            probe.pageSent(at: now)
        } else {
            probe.mediaSent(packets: packets, at: now)
        }
    }

    /// How fast pictures leave that are worth hurrying.
    var pacingRate: Int {
        let most: Int
        switch evidence {
        case .reportsOnly: return reported.isPatient ? target : target * Limits.pacingFactor
        case .reportsUntilFeedback: most = reported.target * Limits.pacingFactor
        case .feedback: most = maximum * Limits.pacingFactor
        }
        if sparesQueue { return min(estimator.target, most) }
        // A policer has no queue for what leaves faster.
        if estimator.isPoliced { return min(estimator.capacity * Limits.policedPacingPercent / 100, most) }
        return min(estimator.capacity * Limits.burstFactor, most)
    }

    /// What pictures, sound and repairs may use together.
    var target: Int {
        switch evidence {
        case .reportsOnly: min(reported.target, maximum)
        case .reportsUntilFeedback: min(estimator.target, reported.target, maximum)
        case .feedback: min(estimator.target, maximum)
        }
    }
    /// What it is taken to carry, be that more than anybody uses.
    var capacity: Int {
        switch evidence {
        case .reportsOnly: reported.target < maximum ? reported.target : estimator.capacity
        case .reportsUntilFeedback: min(estimator.capacity, reported.target < maximum ? reported.target : .max)
        case .feedback: estimator.capacity
        }
    }
    var isSilent: Bool { estimator.isSilent || unanswered.isOn }
    var isHeardInSilence: Bool { estimator.isHeardInSilence }
    var deadline: Instant? { estimator.deadline }

    var statistics: PathStatistics {
        PathStatistics(
            target: target, capacity: evidence == .reportsOnly ? nil : estimator.capacity,
            queueDelay: toldQueueDelay,
            loss: estimator.loss, isMarkable: estimator.isMarkable, congestionMarks: estimator.congestionMarks)
    }

    // MARK: In

    /// - Returns: how long nothing had passed, where something does again.
    mutating func receive(_ feedback: TransportFeedback, at now: Instant) -> Duration? {
        // A peer that tells more often than this says nothing new.
        // One who says that nothing at all came has no reason to say it: that counts as silence.
        guard self.feedback == .transportWide, !feedback.arrivals.isEmpty else { return nil }
        let statuses = min(feedback.statusCount, Limits.statusesPerFeedback)
        guard feedbackBudget.spend(1 + Int(statuses) / Limits.statusesAtOneCost, at: now) else { return nil }
        var arrivals = feedback.arrivals[...]
        for offset in 0..<statuses {
            var arrival: Duration?
            if let first = arrivals.first, first.offset == offset {
                arrival = feedback.time(of: first)
                arrivals.removeFirst()
            }
            estimator.report(feedback.baseSequenceNumber &+ offset, arrival: arrival)
        }
        return finish(at: now)
    }

    /// The same, from reports by stream.
    mutating func receive(_ feedback: CongestionFeedback, at now: Instant) -> Duration? {
        guard self.feedback == .perStream else { return nil }
        let metrics = feedback.reports.reduce(0) { $0 + $1.metrics.count }
        guard feedbackBudget.spend(1 + metrics / Limits.statusesAtOneCost, at: now) else { return nil }
        let reportedAt = CongestionFeedback.time(ofTicks: reportTimes.unwrap(feedback.timestamp))
        let packets = packets(of: feedback)
        guard packets.contains(where: \.metric.isReceived) else { return nil }
        for packet in packets {
            estimator.report(
                UInt16(truncatingIfNeeded: packet.number), arrival: packet.metric.offset.map { reportedAt - $0 },
                ecn: ECNCodepoint(packet.metric.ecn))
        }
        return finish(at: now)
    }

    /// What the packets came with (RFC 6679 § 5.1); it counts with the next feedback on their arrival.
    mutating func receive(_ feedback: ECNFeedback) {
        guard self.feedback == .transportWide, let news = ecnFeedback.news(of: feedback) else { return }
        estimator.report(news)
    }

    private mutating func finish(at now: Instant) -> Duration? {
        missingFeedback.feedbackCame()
        let silence = estimator.finish(at: now)
        // What has piled up here while a queue stood there must not make the next.
        if estimator.queueDelay >= Limits.restQueueDelay { sparesUntil = now + Limits.restDuration }
        sparesQueue = now < sparesUntil || estimator.queueDelay >= Limits.burstQueueDelay
        return silence
    }

    /// What is told, in the order in which it left, whatever its stream.
    private func packets(of feedback: CongestionFeedback) -> [(number: Int64, metric: PacketMetric)] {
        var packets: [(number: Int64, metric: PacketMetric)] = []
        var room = Int(Limits.statusesPerFeedback)
        for report in feedback.reports {
            let metrics = report.metrics.prefix(room)
            room -= metrics.count
            let numbers = streamNumbers.numbers(
                ssrc: report.ssrc, from: report.firstSequenceNumber, count: metrics.count)
            for (number, metric) in zip(numbers, metrics) {
                // Of one that came, nobody knows when, there is nothing to learn.
                guard let number, next - number < Int64(Congestion.Limits.sentPackets),
                    !metric.isReceived || metric.offset != nil
                else { continue }
                packets.append((number, metric))
            }
        }
        return packets.sorted { $0.number < $1.number }
    }

    /// Something else came from the peer: the way back is open, at least.
    mutating func heard(at now: Instant) { estimator.heard(at: now) }

    mutating func receive(_ estimate: BitrateEstimate, at now: Instant) {
        reported.estimated(bitsPerSecond: estimate.bitsPerSecond, at: now)
    }

    /// A receiver report on one of our streams.
    ///
    /// - Parameter roundTrip: by connectivity checks.
    /// - Returns: whether reports have to do from now on: packets come, and the peer gives no feedback on them any more.
    mutating func receive(_ report: ReportBlock, roundTrip: Duration?, at now: Instant) -> Bool {
        guard missingFeedback.follow(report, isSilent: estimator.isSilent, at: now) else { return false }
        missingFeedback.feedbackCame()
        estimator = Self.estimator(start: Limits.startRate, maximum: maximum, feedback, ecn)
        reported = ReportedRate(maximum: maximum)
        reported.begin(roundTrip: roundTrip ?? Limits.assumedRoundTrip)
        (probe, sparesQueue) = (IdleProbe(), false)
        return true
    }

    /// A receiver report: what was lost of so many packets.
    mutating func receive(loss: Double, of packets: Int, at now: Instant) {
        reported.reported(loss: loss, of: packets, at: now)
    }

    /// Packets of pictures that the peer asks for.
    mutating func receive(missing numbers: [UInt16], at now: Instant) {
        if goesByReports { reported.missing(numbers, at: now) }
    }

    /// A round trip was measured, by reports or by connectivity checks.
    mutating func measured(roundTrip: Duration, at now: Instant) {
        if goesByReports { reported.measured(roundTrip: roundTrip, at: now) }
    }

    /// Whether a connectivity check is to tell what a round trip takes by now; once.
    mutating func takeRoundTripWish(at now: Instant) -> Bool { goesByReports && reported.takeRoundTripWish(at: now) }

    mutating func advance(to now: Instant) { estimator.advance(to: now) }

    // MARK: What the owner is told

    /// What is left for pictures, of which there may be `maximum`. Where a path is known to take more than that, sound and
    /// repairs come on top: what one viewer loses is not to make the others' pictures worse.
    private func pictureRate(besides audio: Int) -> Double {
        // Reports tell of no more than there may be.
        let room = goesByReports ? target : estimator.target
        let unlost = Double(room - audio) * (1 - min(Limits.mostLossOfPictures, estimator.loss)) / (1 + repairsWithin)
        return max(0, min(unlost, Double(maximum))) * Limits.payloadShare
    }

    /// The path's state, where it differs from what was told last.
    ///
    /// - Parameters:
    ///   - audio: bits per second that sound takes.
    ///   - backlog: bytes of pictures that wait to leave.
    ///   - mayHurry: they only take their time, and hurry as soon as something new stands behind them.
    mutating func news(audio: Int, backlog: Int, mayHurry: Bool = false, at now: Instant) -> PathState? {
        rateOfSound = audio
        let pictures = pictureRate(besides: audio)
        let bitsPerSecond = max(Limits.leastForPictures, Int(pictures))
        let pace = evidence == .reportsOnly ? pacingRate : min(pacingRate, estimator.capacity)
        let wait = Double(backlog) * 8 / Double(mayHurry ? max(bitsPerSecond, pace) : bitsPerSecond)
        let limit = told?.isCongested == true ? Limits.backlogOver : Limits.backlog
        // What waits for the window waits for a queue that has just begun to stand.
        let isBlocked = backlog > 0 && mayLeave(at: now) == nil
        let isCongested = isBlocked || wait > limit.inSeconds
        let state = PathState(
            pathRate: target, bitsPerSecond: bitsPerSecond, isCongested: isCongested,
            yields: isCongested && mayHurry && !isBlocked && pace * 100 > bitsPerSecond * Limits.hurryPercent,
            isStarved: target < maximum && Int(pictures) < Limits.leastForPictures,
            isLimited: target < maximum - maximum / Limits.noticeable,
            isProven: !goesByReports || reported.isProven(at: now))
        // Once in a while all the same: who decides by it goes by time as well.
        if let told, told.isCongested == state.isCongested, told.yields == state.yields, told.isStarved == state.isStarved,
            told.isProven == state.isProven, now - toldAt < Limits.reportInterval
        {
            let difference = abs(told.bitsPerSecond - bitsPerSecond)
            guard difference * Limits.noticeable > told.bitsPerSecond else { return nil }
        }
        told = state
        toldAt = now
        return state
    }
}

extension ECNCodepoint {
    fileprivate init(_ ecn: ECN) {
        switch ecn {
        case .notCapable: self = .notCapable
        case .capable0, .capable1: self = .capable
        case .congestionExperienced: self = .congestionExperienced
        }
    }
}
