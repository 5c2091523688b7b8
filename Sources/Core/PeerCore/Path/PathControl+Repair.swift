import Congestion
import Timebase

/// What repair, and how pictures are to be shown, goes by: queues and losses.
extension PathControl {
    var queueDelay: Duration { estimator.queueDelay }
    /// By single packets, or by round trips, as the peer tells.
    var toldQueueDelay: Duration { goesByReports ? reported.queueDelay : estimator.queueDelay }
    /// How long what is sent again waits before a narrow link; of round trips, jitter is no queue.
    func queueBeforeRepairs(at now: Instant) -> Duration {
        guard goesByReports else { return estimator.queueDelay <= Limits.queueOfRepair ? .zero : estimator.queueDelay }
        let queue = reported.queue(at: now)
        return queue > Limits.queueOfOwed || reported.leavesQueue(at: now) ? max(queue, Limits.queueOfOwed) : .zero
    }
    /// What goes into the queue now may find no room.
    func mayBeFull(at now: Instant) -> Bool {
        goesByReports && (reported.leavesQueue(at: now) || reported.queue(at: now) > Limits.queueOfFull)
    }
    /// Smoothed, from leaving to what is told of it; nil before anything was.
    var feedbackDelay: Duration? { estimator.feedbackDelay }

    /// Whether so much has been lost for some seconds.
    func lasting(loss: Double) -> Bool { estimator.lastingLoss > loss }

    /// Whether so much gets lost there, all in all: bursts are seconds apart.
    func ambient(loss: Double) -> Bool { max(estimator.lastingLoss, estimator.ambientLoss) > loss }

    /// Packets get lost where each burst is seen, however rare they are: a round trip is as long as a freeze.
    var lossesFreeze: Bool {
        estimator.roundTrip >= Limits.roundTripOfFreeze && estimator.queueDelay < Limits.queueOfFlexFEC
            && ambient(loss: Limits.lossOfFreeze)
    }

    /// The same where the queue is another flow's: what is sent again waits behind all that stands there.
    var overflowsFreeze: Bool {
        estimator.isCompeting && estimator.roundTrip + estimator.queueDelay >= Limits.roundTripOfFreeze
            && ambient(loss: Limits.lossOfFreeze)
    }

    /// What pictures and their copies may use together: sound comes first.
    var rateBesideSound: Int { max(0, target - rateOfSound) }

    /// Repair packets for each packet of pictures: many more than are lost, so that few pictures have to wait
    /// for a round trip. What is sent again comes on top.
    var repairPacketShare: Double {
        if overflowsFreeze { return max(Limits.repairPacketsPerPacketFarAway, shareForLoss) }
        guard estimator.queueDelay < Limits.queueOfFlexFEC, estimator.roundTrip >= Limits.roundTripOfDoubling else {
            return 0
        }
        return max(lossesFreeze ? Limits.repairPacketsPerPacketFarAway : 0, shareForLoss)
    }

    /// Packets get lost on their way, and not in another flow's queue.
    var losesOnTheWay: Bool { !overflowsFreeze && repairPacketShare > 0 }

    /// Of these what comes out of our own share of the path: beside another flow they are not to take from its.
    var repairsWithin: Double { overflowsFreeze ? repairPacketShare : 0 }

    /// The next pictures' repair packets come before what is sent again.
    var repairsComeFirst: Bool { overflowsFreeze || estimator.roundTrip >= Limits.roundTripOfNextRepairs }

    private var shareForLoss: Double {
        let loss = estimator.lastingLoss
        guard loss > Limits.lossOfFlexFEC else { return 0 }
        let perLoss = Limits.repairPacketsPerLoss + max(0, loss - Limits.heavyLoss) * Limits.repairPacketsPerHeavyLoss
        return min(Limits.mostRepairPacketsPerPacket, loss * min(Limits.mostRepairPacketsPerLoss, perLoss))
    }
}
