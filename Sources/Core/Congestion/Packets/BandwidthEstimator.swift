import DequeModule
import Timebase

/// What the path to one peer takes, from the peer's feedback on single packets: transport-wide
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01) or by stream (RFC 8888). Peers without it: `ReportedRate`.
///
/// Made for screens, which rest and then send all at once: each picture is a measurement of the path (`PacketTrain`), a
/// window bounds what is in flight (RFC 8298 § 4.1.2), so that a link that slows down never has more than a fraction of
/// a second to work off, and what was known is forgotten when the path changes.
///
/// `sent` for each packet, `report` and `finish` for each feedback, `advance` at `deadline`.
package struct BandwidthEstimator: Sendable {
    private var packets = SentPackets()
    private var times = ArrivalTimes()
    private var queue = QueueDelay()
    private var delivery = DeliveryRate()
    private var train: PacketTrain
    private var losses = LossControl()
    /// Nil where packets must not allow marks of congestion.
    private var ecn: ECNControl?
    /// What a feedback tells of ECN.
    private var ecnCounts = ECNCounts()
    private var rate: RateControl
    private var trialVerdict: LossVerdict?
    private var reports: [PacketReport] = []
    /// What the last feedback told not to have come.
    private var lost: [Int64] = []
    /// Ordinary packets that have not come where a favoured one has.
    private var overtaken: Deque<Int64> = []
    /// The newest ordinary packet that is known to have come.
    private var newestArrived = Int64.min
    /// Feedback that came at all; without any there is no window.
    private var lastFeedback: Instant?
    /// Between two feedbacks, smoothed.
    private var feedbackInterval = Limits.feedbackInterval
    private var holding = HoldingTime()
    private var lastHeard: Instant?
    /// Since when packets take the path that they take now.
    private var movedAt = Instant.zero
    private var lastSent: Instant?
    private var silentSince: Instant?
    /// Packets that were under way when nothing came any more, since one came that allows marks.
    private var silenced = 0
    /// Smoothed, from leaving to the feedback on it.
    package private(set) var feedbackDelay: Duration?
    private var leastFeedbackDelay = RecentMinimum(seconds: Limits.secondsOfRoundTrip)

    /// - Parameters:
    ///   - start: bits per second to begin with.
    ///   - maximum: what nobody needs to know more of.
    ///   - resolution: of the arrival times that are reported.
    ///   - ecn: how marks are answered, where the peer tells of them.
    package init(
        start: Int, maximum: Int, resolution: Duration = Limits.arrivalResolution, ecn: ECNResponse? = nil
    ) {
        self.ecn = ecn.map { ECNControl($0) }
        rate = RateControl(start: start, maximum: maximum)
        train = PacketTrain(resolution: resolution)
    }

    // MARK: What it knows

    /// Bits per second that media may use, headers and repairs among them.
    package var target: Int { rate.target }
    /// Bits per second that the path takes.
    package var capacity: Int { rate.capacity }
    package var queueDelay: Duration { queue.standing }
    /// What leaves faster than the target is lost, or it is being tried whether it is. Where nothing is lost, the policer has
    /// saved up for it, or is none.
    package var isPoliced: Bool { rate.isOnTrial || rate.isPoliced && losses.lasting > Limits.lossOfPacing }
    package var loss: Double { losses.loss }
    /// Over some seconds.
    package var lastingLoss: Double { losses.lasting }
    /// And over half a minute.
    package var ambientLoss: Double { losses.ambient }
    /// The least that was seen from leaving to the feedback on it.
    package var roundTrip: Duration { leastFeedbackDelay.value ?? .zero }
    /// Another flow fills the path's queue until it overflows.
    package var isCompeting: Bool { rate.isCompeting }
    package var isSilent: Bool { silentSince != nil }
    /// The peer is heard, though nothing is known to reach it.
    package var isHeardInSilence: Bool {
        guard let silentSince, let lastHeard else { return false }
        return lastHeard > silentSince
    }
    package var hasFeedback: Bool { lastFeedback != nil }
    /// Whether a packet is known not to have come.
    package func isLost(_ number: Int64) -> Bool { packets.isLost(number) }
    package var bytesInFlight: Int { packets.bytesInFlight }
    /// The path carries marks of congestion.
    package var isMarkable: Bool { ecn?.isCapable ?? false }
    /// Packets that came with one.
    package var congestionMarks: Int { ecn?.congestionMarks ?? 0 }

    /// What may be in flight: what the path holds, and the queue that is tolerated.
    package var window: Int {
        // Where packets get lost so does feedback, and that is no queue.
        let slack = losesFeedback ? Limits.feedbackSlack : .zero
        let time = (leastFeedbackDelay.value ?? Limits.assumedRoundTrip) + feedbackInterval + rate.queueTarget
            - Limits.queueTarget / 2 + slack + holding.allowance
        return max(Limits.leastWindow, Int(Double(rate.capacity) / 8 * time.inSeconds))
    }

    /// When a packet may leave, for all that is in flight; nil: not before there is feedback.
    package func mayLeave(at now: Instant) -> Instant? {
        guard hasFeedback else { return now }
        if let since = silentSince {
            let isLong = now - since > Limits.longSilence
            return (lastSent ?? now) + (isLong ? Limits.longSilentInterval : Limits.silentInterval)
        }
        if packets.bytesInFlight < window { return now }
        // Feedback that is late on a lossy path got lost: what leaves now brings more of it.
        guard losesFeedback, let last = lastFeedback, now - last > feedbackInterval * 2 else { return nil }
        return (lastSent ?? now) + .seconds(Double(Limits.packetOfTrickle * 8 * Limits.trickleShare) / Double(target))
    }

    /// Loss with a long queue is the queue's, and there is none of that on the way back.
    private var losesFeedback: Bool {
        max(losses.ambient, losses.lasting) > Limits.lossOfSlack && queue.standing < Limits.queueTarget * 2
    }

    /// What nobody needs to know more of, from now on.
    package mutating func setMaximum(_ bitsPerSecond: Int) { rate.setMaximum(bitsPerSecond) }

    // MARK: In

    /// - Parameter isFavoured: routers are asked to let it overtake the others.
    package mutating func sent(_ number: Int64, bytes: Int, isFavoured: Bool = false, at now: Instant) {
        packets.record(number, bytes: bytes, isFavoured: isFavoured, at: now)
        lastSent = now
    }

    /// Whether routers may mark the next packet.
    package mutating func allowsMark(at now: Instant) -> Bool {
        // Where nothing passes, it may be the permission that does not.
        silentSince == nil && ecn?.allowsNext(at: now) == true
    }

    /// Anything came from the peer.
    package mutating func heard(at now: Instant) { lastHeard = now }

    /// One packet of a feedback, by the 16 bits that stand in it; ascending.
    ///
    /// - Parameter ecn: what it came with; nil where the feedback does not say.
    package mutating func report(_ wrapped: UInt16, arrival: Duration?, ecn: ECNCodepoint? = nil) {
        guard reports.count < Limits.sentPackets, let number = packets.number(of: wrapped) else { return }
        let isFavoured = packets.isFavoured(number)
        guard arrival != nil || isFavoured else { return noteMissing(number) }
        if !isFavoured { settleOvertaken(below: number) }
        guard let report = packets.report(number, arrival: arrival) else { return }
        if let ecn, arrival != nil {
            ecnCounts.count(ecn)
            if ecn != .notCapable { silenced = 0 }
        }
        if arrival != nil, !report.isFavoured { newestArrived = max(newestArrived, number) }
        reports.append(report)
    }

    /// Sound that overtook it says nothing of it: what came after it in its own queue does. That is known already where the
    /// feedback was overtaken by the next.
    private mutating func noteMissing(_ number: Int64) {
        guard number > newestArrived else { return noteLost(number) }
        if overtaken.last.map({ $0 < number }) ?? true { overtaken.append(number) }
        if overtaken.count > Limits.sentPackets { overtaken.removeFirst() }
    }

    private mutating func noteLost(_ number: Int64) {
        if let report = packets.report(number, arrival: nil) { reports.append(report) }
    }

    /// One with a higher number has come: those are lost.
    private mutating func settleOvertaken(below number: Int64) {
        while let first = overtaken.first, first < number {
            overtaken.removeFirst()
            noteLost(first)
        }
    }

    /// What feedback told not to have come, once.
    package mutating func takeLost() -> [Int64] {
        defer { lost = [] }
        return lost
    }

    /// So many more have come, by their ECN.
    package mutating func report(_ counts: ECNCounts) {
        ecnCounts.add(counts)
        if counts.markable > 0 { silenced = 0 }
    }

    /// The feedback's end: all it told is weighed.
    ///
    /// - Returns: how long nothing had passed, where that is over.
    @discardableResult
    package mutating func finish(at now: Instant) -> Duration? {
        lost = []
        guard reports.contains(where: { $0.arrival != nil }) else {
            weighLoss(at: now)
            return nil
        }
        // What passes again are packets that allow no mark. One may get lost anywhere.
        if isSilent, silenced >= Limits.packetsOfDoubt {
            ecn?.doubt(at: now)
            silenced = 0
        }
        let silence = endSilence(at: now)
        if let first = reports.first(where: { !$0.isFavoured }) {
            packets.giveUp(below: first.number)
        } else if let newest = reports.last(where: { $0.arrival != nil }) {
            // Sound alone is told of, which others may have let pass: what left long before it was told of and lost.
            packets.giveUp(before: newest.sentAt - Limits.silence)
        }
        learn(at: now)
        lost = reports.compactMap { $0.arrival == nil ? $0.number : nil }
        reports.removeAll(keepingCapacity: true)
        return silence
    }

    private mutating func learn(at now: Instant) {
        if let last = lastFeedback {
            let interval = min(now - last, Limits.longestFeedbackInterval)
            feedbackInterval += (interval - feedbackInterval) / 8
        }
        lastFeedback = now
        measureDelay(at: now)
        if times.weigh(&reports, roundTrip: leastFeedbackDelay.value ?? .zero, at: now) { changedClock() }
        // How long the peer keeps what it has to tell only its own clock says.
        if times.areTrusted { holding.observe(reports, at: now) }
        // What overtakes the others, or left by the path of before, tells nothing of the queue.
        let isOrdinary = { [movedAt] (report: PacketReport) in !report.isFavoured && report.sentAt >= movedAt }
        let ordinary = reports.allSatisfy(isOrdinary) ? reports : reports.filter(isOrdinary)
        queue.observe(ordinary, isHeld: rate.isCompeting, at: now)
        delivery.observe(reports)
        let queueIsShort = queue.standing < rate.queueTarget / 2
        let loss = losses.observe(reports, queueIsShort: queueIsShort, isCompeting: rate.isCompeting, at: now)
        keep(loss)
        // Sound alone says nothing of what pictures might take, and the queue that they met may be gone.
        guard !ordinary.isEmpty else { return }
        let roundTrip = leastFeedbackDelay.value ?? Limits.assumedRoundTrip
        rate.observe(
            RateControl.Observation(
                now: now, queue: queue.standing, isSteady: queue.steadyTime(at: now) > Limits.steadyTime,
                jitter: queue.jitter, roundTrip: roundTrip,
                latestOutflow: delivery.bitsPerSecond(over: Limits.latestWindow),
                outflow: delivery.bitsPerSecond(over: Limits.outflowWindow),
                delivered: delivery.bitsPerSecond(over: Limits.sustainedWindow), inFlight: reports.map(\.inFlight).max() ?? 0,
                trains: times.areTrusted ? train.observe(ordinary) : [], loss: trialVerdict ?? loss,
                ecn: weighECN(queueIsShort, roundTrip: roundTrip, at: now)))
        trialVerdict = nil
        // A queue that keeps its length though less and less is sent is none: the path has become longer.
        let isLong = rate.isCompeting || queue.standing > Limits.longPlateau
        let patience = isLong ? Limits.plateauTimeBeside : Limits.plateauTime
        if rate.isDraining, queue.steadyTime(at: now) > patience {
            queue.forget()
            rate.stopCompeting()
        }
    }

    /// Times of before are not comparable with those that follow.
    private mutating func changedClock() {
        queue.restart()
        delivery.forget()
        train.restart()
    }

    private mutating func weighECN(_ queueIsShort: Bool, roundTrip: Duration, at now: Instant) -> ECNVerdict? {
        ecn?.observe(ecnCounts, arrivals: reports.count { $0.arrival != nil }, at: now)
        ecnCounts = ECNCounts()
        if losses.lasting > Limits.lossOfMarkable { ecn?.doubt(at: now) }
        return ecn?.takeVerdict(queueIsShort: queueIsShort, roundTrip: roundTrip + queue.standing, at: now)
    }

    private mutating func weighLoss(at now: Instant) {
        if !reports.isEmpty { keep(losses.observe(reports, queueIsShort: true, at: now)) }
        reports.removeAll(keepingCapacity: true)
    }

    /// What follows from a trial waits for the next observation of the rate; that less is to be sent does not.
    private mutating func keep(_ verdict: LossVerdict?) {
        switch verdict {
        case .less, nil: break
        case .trial, .policed, .inherent, .unpoliced: trialVerdict = verdict
        }
    }

    private mutating func measureDelay(at now: Instant) {
        guard let newest = reports.last(where: { $0.arrival != nil && $0.sentAt >= movedAt }) else { return }
        let delay = now - newest.sentAt
        feedbackDelay = feedbackDelay.map { $0 + (delay - $0) / 8 } ?? delay
        leastFeedbackDelay.note(delay, at: now)
    }

    // MARK: Silence

    /// When `advance` has something to do.
    package var deadline: Instant? {
        guard hasFeedback, silentSince == nil, let oldest = packets.oldestInFlight else { return nil }
        let told = max(oldest, lastFeedback ?? oldest)
        // While a queue empties something comes all the time, however long each packet has waited in it.
        let limit = told > oldest ? min(silenceLimit, gapLimit) : silenceLimit
        // Who is heard and tells nothing may not be reached any more.
        return min(max(told, lastHeard ?? told), told + Limits.silence * 2) + limit
    }

    /// As before an empty queue, with the time that a slow link takes for a packet.
    private var gapLimit: Duration {
        let packets = Duration.seconds(Double(2 * Limits.packetOfTrickle * 8) / Double(rate.target))
        return (leastFeedbackDelay.value ?? Limits.assumedRoundTrip) * 2 + Limits.silence + holding.allowance + packets
    }

    private var silenceLimit: Duration {
        (feedbackDelay ?? Limits.assumedRoundTrip) * 2 + Limits.silence + holding.allowance
    }

    package mutating func advance(to now: Instant) {
        guard let deadline, now >= deadline else { return }
        silentSince = now
        silenced += packets.giveUp(before: now)
    }

    private mutating func endSilence(at now: Instant) -> Duration? {
        guard let since = silentSince else { return nil }
        silentSince = nil
        packets.giveUp(before: now - silenceLimit)
        let length = now - since + silenceLimit
        // What was sent meanwhile has come: only the way back was closed.
        let tried = reports.filter { $0.sentAt >= since }
        guard tried.count(where: { $0.arrival == nil }) * 2 > tried.count else { return nil }
        guard length > Limits.forgettingSilence else { return length }
        rate.doubt()
        losses.forget()
        trialVerdict = nil
        delivery.forget()
        startAgain(at: since)
        return length
    }

    /// What leaves from an instant on takes another path: how long packets took before says nothing of how long they wait
    /// there.
    ///
    /// - Parameter start: bits per second to begin with.
    package mutating func moved(at instant: Instant, start: Int) {
        startAgain(at: instant)
        // The last picture's packets were no train on this one.
        train.restart()
        // What is under way on the path before takes no room on this one.
        packets.giveUp(before: instant)
        losses.moved()
        trialVerdict = nil
        rate.moved(atMost: start)
    }

    private mutating func startAgain(at instant: Instant) {
        movedAt = instant
        queue.restart()
        rate.stopCompeting()
        rate.forgetOthers()
        leastFeedbackDelay = RecentMinimum(seconds: Limits.secondsOfRoundTrip)
        feedbackDelay = nil
    }
}
