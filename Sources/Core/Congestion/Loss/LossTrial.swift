import Timebase

/// What follows from losses.
package enum LossVerdict: Equatable, Sendable {
    /// By this factor less is to be sent.
    case less(Double)
    /// It is to be tried whether there is less loss where no more is sent than passed lately, in bits per second.
    case trial(passed: Int)
    /// There was: a policer drops what is beyond, without a queue. It is believed for so long.
    case policed(Duration)
    /// There was not.
    case inherent
    /// There is none any more.
    case unpoliced
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
    private var believedUntil: Instant?

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
    ///   - passed: of what was sent lately, in bits per second.
    mutating func verdict(
        isSteady: Bool, loss: (lasting: Double, ambient: Double), passed: Double, at now: Instant
    ) -> LossVerdict? {
        if let running { return end(running, at: now) }
        if loss.ambient < Limits.lossOfTrial / 2 { pause = Limits.pauseOfTrials }
        // Where there was one it takes no half a minute to be sure.
        let lasts = wasThere(at: now) ? loss.lasting : min(loss.lasting, loss.ambient)
        guard isSteady, now >= notBefore, lasts > Limits.lossOfTrial else { return nil }
        running = Running(since: now, loss: lasts)
        return .trial(passed: Int(passed))
    }

    /// One was found, not long ago.
    private func wasThere(at now: Instant) -> Bool { believedUntil.map { now - $0 < belief } ?? false }

    /// The policer's rate was another, or there is none: that is tried anew.
    mutating func doubt(at now: Instant) {
        notBefore = now + Limits.pauseOfDoubt
        believedUntil = nil
    }

    /// - Returns: nil where no trial is under way.
    mutating func breakOff(at now: Instant) -> LossVerdict? {
        guard running != nil else { return nil }
        running = nil
        notBefore = now + Limits.pauseOfDoubt
        return .inherent
    }

    /// There is no policer, and none is looked for for a while.
    mutating func fail(at now: Instant) {
        notBefore = now + pause
        pause = min(pause * 2, Limits.longestPauseOfTrials)
        believedUntil = nil
    }

    private mutating func end(_ trial: Running, at now: Instant) -> LossVerdict? {
        let isOver = now - trial.since >= Limits.longestTrial
        let packets = isOver ? Limits.fewestPacketsOfTrial : Limits.packetsOfTrial
        let isEnough = now - trial.since >= Limits.startOfTrial + Limits.timeOfTrial && trial.sent >= packets
        guard isOver || isEnough else { return nil }
        running = nil
        guard isEnough, Double(trial.lost) < Double(trial.sent) * trial.loss / 3 else {
            fail(at: now)
            return .inherent
        }
        // One that was found before, and is still there.
        belief = wasThere(at: now) ? min(belief * 2, Limits.longestBeliefInPolicer) : Limits.beliefInPolicer
        believedUntil = now + belief
        notBefore = now + Limits.timeOfTrial
        return .policed(belief)
    }
}
