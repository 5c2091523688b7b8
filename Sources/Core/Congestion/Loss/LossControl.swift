import Timebase

/// Tells loss that comes of too much from loss that a path has anyway.
///
/// Loss with a queue is the queue's; without one it may be a policer's, which less to send mends, or radio's, which it
/// does not. So observations of a quarter of a second are compared: where those with less sent lost as much, loss is the
/// path's own and no reason to send less (draft-ietf-rmcat-gcc-02 § 5.2 and libwebrtc's second version infer likewise).
/// Where all sent as much it is tried out (`LossTrial`).
package struct LossControl: Sendable {
    private struct Observation: Sendable {
        var rate: Double
        var loss: Double
        var duration: Duration
        var sent: Int
        /// Most of it was sound, which says nothing of what pictures might take.
        var isOfSound: Bool
        var passed: Double { rate * (1 - loss) }
    }

    private var observations: [Observation] = []
    private var sent = 0
    private var lost = 0
    private var bytes = 0
    /// Of them, what was not favoured: pictures.
    private var ordinaryBytes = 0
    private var began: Instant?
    private var trial = LossTrial()
    /// What passed right before the trial.
    private var passed = 0.0
    /// What a policer passed when it was found, and until when that is believed.
    private var policed: (rate: Double, until: Instant)?
    /// Of what was reported last, 0…1.
    private(set) var loss = 0.0
    /// Smoothed over some seconds.
    private(set) var lasting = 0.0
    /// And over half a minute.
    private(set) var ambient = 0.0
    /// What the path loses whatever is sent.
    private(set) var inherent = 0.0

    package init() {}

    /// - Parameter isCompeting: another flow fills the queue until it overflows.
    /// - Returns: nil where there is nothing new, or no reason to send less.
    package mutating func observe(
        _ reports: [PacketReport], queueIsShort: Bool, isCompeting: Bool = false, at now: Instant
    ) -> LossVerdict? {
        for report in reports {
            trial.count(report)
            if report.wasLost {
                lost = max(0, lost - 1)
                continue
            }
            sent += 1
            bytes += report.bytes
            if !report.isFavoured { ordinaryBytes += report.bytes }
            if report.arrival == nil { lost += 1 }
        }
        let start = began ?? now
        began = start
        guard now - start >= Limits.lossInterval, sent >= Limits.packetsOfLossObservation else {
            // Too little is sent by now to learn anything by it.
            return now - start >= Limits.longestPauseOfTrial ? trial.breakOff(at: now) : nil
        }
        let duration = max(.milliseconds(10), now - start)
        loss = Double(lost) / Double(sent)
        lasting += (loss - lasting) / 8
        ambient += (loss - ambient) / 32
        observations.append(
            Observation(
                rate: Double(bytes) * 8 / duration.inSeconds, loss: loss, duration: duration, sent: sent,
                isOfSound: ordinaryBytes < bytes / 2))
        if observations.count > Limits.lossObservations { observations.removeFirst() }
        (sent, lost, bytes, ordinaryBytes, began) = (0, 0, 0, 0, now)
        infer()
        return tried(queueIsShort && !isCompeting, at: now)
            ?? verdict(queueIsShort: queueIsShort, isCompeting: isCompeting, isPoliced: policed != nil)
    }

    private mutating func tried(_ isFree: Bool, at now: Instant) -> LossVerdict? {
        let latest = observations.suffix(Limits.observationsOfSteadiness)
        let passing = latest.reduce(0) { $0 + $1.passed } / Double(max(1, latest.count))
        let verdict = trial.verdict(
            isSteady: isFree && isSteady, loss: (lasting, ambient), passed: passing, at: now)
        if case .trial = verdict { passed = passing }
        // What was observed before was taken for the path's own.
        if case .policed(let time) = verdict {
            policed = (rate: passed, until: now + time)
            observations.removeAll()
            (lasting, ambient, inherent) = (0, 0, 0)
        }
        return verdict ?? released(at: now)
    }

    /// No policer lets half as much again pass for half a second and loses nothing, and none loses where less is sent than
    /// it lets pass.
    private mutating func released(at now: Instant) -> LossVerdict? {
        guard let policed else { return nil }
        let latest = observations.suffix(Limits.observationsOfRelease)
        let isGone = latest.count == Limits.observationsOfRelease
            && latest.allSatisfy { $0.loss < Limits.toleratedLoss && $0.rate > policed.rate * 3 / 2 }
        let isNone = losesBelow(policed.rate)
        guard isGone || isNone || now > policed.until else { return nil }
        if isNone { trial.doubt(at: now) }
        self.policed = nil
        return .unpoliced
    }

    /// Much was sent of late, and without a pause.
    private var isSteady: Bool {
        let latest = observations.suffix(Limits.observationsOfSteadiness)
        let rates = latest.map(\.rate)
        guard latest.count == Limits.observationsOfSteadiness, let least = rates.min(), let most = rates.max() else {
            return false
        }
        return most < least * 2 && latest.allSatisfy { $0.duration < Limits.lossInterval * 2 && !$0.isOfSound }
    }

    private func losesBelow(_ rate: Double) -> Bool {
        let latest = observations.suffix(Limits.observationsOfSteadiness)
        let sent = latest.reduce(0) { $0 + $1.sent }
        let lost = latest.reduce(0) { $0 + $1.loss * Double($1.sent) }
        return sent >= Limits.packetsOfTrial && lost > Limits.lossOfTrial * Double(sent)
            && latest.allSatisfy { $0.passed < rate * Limits.shareBelowPolicer }
    }

    private func verdict(queueIsShort: Bool, isCompeting: Bool, isPoliced: Bool) -> LossVerdict? {
        // As the other flow does, and about as much (RFC 9438 § 4.6), so that each gets its share.
        if isCompeting, loss - inherent > Limits.lossBesideOthers { return .less(Limits.yieldToLoss) }
        let excess = queueIsShort ? loss - inherent : loss
        guard excess > (isPoliced ? Limits.lossOfPoliced : Limits.heavyLoss) else { return nil }
        return .less(1 - 0.5 * excess)
    }

    /// Compares the half with less sent to the half with more.
    private mutating func infer() {
        let sorted = observations.sorted { $0.rate < $1.rate }
        let half = sorted.count / 2
        guard half > 0, let least = sorted.first, let most = sorted.last else {
            inherent = loss
            return
        }
        func mean(_ part: ArraySlice<Observation>) -> Double { part.reduce(0) { $0 + $1.loss } / Double(part.count) }
        let (low, high) = (mean(sorted.prefix(half)), mean(sorted.suffix(half)))
        // Rates that hardly differ tell nothing; what was thought before stays.
        guard most.rate > least.rate * Limits.spreadOfRates else {
            inherent = max(inherent, min(low, high))
            return
        }
        inherent = low > Limits.shareOfInherent * high ? max(low, high) : low
    }

    /// Packets take another path from now on, which may lose as much.
    mutating func moved() {
        observations.removeAll()
        (trial, policed) = (LossTrial(), nil)
    }

    /// The path is another now.
    mutating func forget() {
        moved()
        (sent, lost, bytes, ordinaryBytes, began) = (0, 0, 0, 0, nil)
        (loss, lasting, inherent, ambient) = (0, 0, 0, 0)
    }
}
