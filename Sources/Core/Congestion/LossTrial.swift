import Timebase

/// What follows from losses.
package enum LossVerdict: Equatable, Sendable {
    /// By this factor less is to be sent.
    case less(Double)
    /// It is to be tried whether there is less loss where no more is sent than passes.
    case trial
    /// There was: a policer drops what is beyond, without a queue. It is believed for so long.
    case policed(Duration)
    /// There was not.
    case inherent
}

/// Tells a policer from a path that loses packets whatever is sent, where the rate says nothing because it hardly varies:
/// for a second no more is sent than passes. A policer's losses end then, a radio link's stay.
///
/// What such a second costs is worth it only where much is lost, and for long.
struct LossTrial: Sendable {
    private struct Running {
        var since: Instant
        /// Of all before.
        var loss: Double
        var sent = 0
        var lost = 0
    }

    private var running: Running?
    private var notBefore = Instant.zero
    private var pause = Limits.pauseOfTrials
    private var belief = Limits.beliefInPolicer

    /// Packets that left after the trial began.
    mutating func count(_ report: PacketReport) {
        guard var trial = running, report.sentAt >= trial.since + Limits.startOfTrial else { return }
        if report.wasLost {
            trial.lost = max(0, trial.lost - 1)
        } else {
            trial.sent += 1
            if report.arrival == nil { trial.lost += 1 }
        }
        running = trial
    }

    /// - Parameters:
    ///   - isSteady: much is sent, and without a pause.
    ///   - loss: over some seconds, and over half a minute.
    mutating func verdict(isSteady: Bool, loss: (lasting: Double, ambient: Double), at now: Instant) -> LossVerdict? {
        if let running { return end(running, at: now) }
        if loss.ambient < Limits.lossOfTrial / 2 { pause = Limits.pauseOfTrials }
        guard isSteady, now >= notBefore, min(loss.lasting, loss.ambient) > Limits.lossOfTrial else { return nil }
        running = Running(since: now, loss: min(loss.lasting, loss.ambient))
        return .trial
    }

    private mutating func end(_ trial: Running, at now: Instant) -> LossVerdict? {
        let isOver = now - trial.since >= Limits.longestTrial
        let isEnough = now - trial.since >= Limits.startOfTrial + Limits.timeOfTrial && trial.sent >= Limits.packetsOfTrial
        guard isOver || isEnough else { return nil }
        running = nil
        guard isEnough, Double(trial.lost) < Double(trial.sent) * trial.loss / 2 else {
            notBefore = now + pause
            pause = min(pause * 2, Limits.longestPauseOfTrials)
            return .inherent
        }
        defer { belief = min(belief * 2, Limits.longestBeliefInPolicer) }
        notBefore = now + Limits.timeOfTrial
        return .policed(belief)
    }
}
