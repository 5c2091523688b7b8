import Timebase

/// Every bound and constant of the controllers, with its reason. This file: what goes by feedback on single packets.
package enum Limits {
    // MARK: What is remembered

    /// Packets in flight or not reported yet: two seconds at 40 Mbit/s; half of what 16 bits can name.
    package static let sentPackets = 8192
    /// Packets that are settled and kept all the same: what was called lost may still turn up.
    static let settledPackets = 1024
    /// Seconds over which the least one-way delay is the base: clocks drift 3 ms in that time at ±300 ppm.
    static let secondsOfBaseDelay = 10
    /// What was measured before nothing came for so long tells nothing of the path. Signs of life come once a second.
    static let pauseOfBaseDelay = Duration.seconds(30)
    /// Seconds over which the least round trip is the path's: one that changes is known soon.
    static let secondsOfRoundTrip = 4

    // MARK: Delay

    /// No queue is longer than this; what is told of one is a lie, or a clock that jumped.
    static let longestQueue = Duration.seconds(10)
    /// Fewer packets than this are judged with those of the next feedback.
    static let packetsOfStandingQueue = 3
    /// A queue longer than this is one: a frame's worth of jitter is below.
    static let queueTarget = Duration.milliseconds(30)
    /// Bytes of ours in a queue that are few, and tolerated: two packets.
    static let fewBytes = 2500
    /// A queue is tolerated up to this length because little of it is ours: with more, what is alone before 150 kbit/s takes
    /// its own for another flow's; with 60 ms, a small share beside a transfer is half as large.
    static let longestQueueOfFew = Duration.milliseconds(70)
    /// Who has no more bytes than this under way, sound among them, can hardly have made a queue that is long.
    static let fewInFlight = 5000
    /// Before a queue that we can hardly have made, what is thought of the path falls to no less than so many per cent, each
    /// time.
    static let foreignQueuePercent = 70
    /// A queue that has been tolerable for so long, and is short now, is one that others shorten as well.
    static let yieldingTime = Duration.milliseconds(100)
    /// Scatter of delays above this is no jitter.
    static let longestJitter = Duration.milliseconds(30)
    /// What comes out of a queue at so many times what is thought of the path has waited for nothing but its going on.
    static let outflowOfStandstill = 2
    /// A queue's length is told by the least of each of these times.
    static let plateauInterval = Duration.milliseconds(500)
    /// A queue whose length changes by less than this has kept it.
    static let plateauWidth = Duration.milliseconds(6)
    /// A queue that has kept its length for so long lets more be sent: if it is too much, it will show.
    static let steadyTime = Duration.seconds(1)
    /// A queue that has kept its length for so long, though hardly anything is sent, is the path itself.
    static let plateauTime = Duration.milliseconds(1500)
    /// A queue is long from here on, and needs `plateauTimeBeside` to be taken for the path: few paths grow by so much.
    static let longPlateau = Duration.milliseconds(100)
    /// A long queue, or one beside another flow, whose queue grows slowly, is the path itself after this time only.
    static let plateauTimeBeside = Duration.seconds(5)
    /// Less was sent in vain where a queue still has more than so many per cent of its length.
    static let vainQueuePercent = 80
    /// A queue that less did not help against is watched, and no less sent, below so many per cent of its length then:
    /// whose it is shows in peace.
    static let heldQueuePercent = 120
    /// What a queue is too long by is to be gone after so many seconds: that much less is sent.
    static let secondsOfExcess = 0.3
    /// The part of what the path takes that is left unused for a queue that is too long, at most.
    static let mostUnused = 0.5

    // MARK: Another flow's queue

    /// Where another flow holds a queue that we can't empty, up to this is tolerated (RFC 8298 § 4.2.1 adapts likewise).
    static let longestQueueTarget = Duration.milliseconds(350)
    /// And up to this where less was sent in vain for longer than any queue of our own lasts: nobody's buffer holds much
    /// more than a second, and who yields to one that is full is left nothing.
    static let longestForeignQueue = Duration.milliseconds(1200)
    /// What is tolerated grows to so many per cent of what it was each time, or more for a long queue.
    static let moreToleratedPercent = 150
    /// So many per cent of the queue that is there are tolerated, so that it is not too long at once.
    static let toleratedQueuePercent = 125
    /// A queue shorter than this may be a path that has become longer, which shows within some seconds.
    static let queueOfOthers = Duration.milliseconds(75)
    /// A queue of our own is gone by then: nobody's buffer holds more than a second, at three fifths of what it takes.
    static let ownQueueTime = Duration.seconds(3)
    /// A queue is our own while more than so many per cent of what was to be sent come, as where sound alone is too much.
    static let ownQueuePercent = 125
    /// Unless that is the least that is sent of a screen, in bits per second, and so many times as much was half of what the
    /// path took before.
    static let rateOfTrickle = 80_000
    static let shareOfTrickle = 8
    /// Sound that is too much for a path is made less, and its queue gone, by then.
    static let excuseOfOwn = Duration.seconds(30)
    /// After so long it is tried anew whether the queue is another flow's; after twice as long each time that it was.
    static let competition = Duration.seconds(30)
    /// It is tried anew after this time at the latest.
    static let longestCompetition = Duration.seconds(60)
    /// A flow found within this time after it was tried is the same one: it found more room meanwhile, and has filled the
    /// queue again by then.
    static let memoryOfTrial = Duration.seconds(10)
    /// A queue that grows by so much though no more of ours is sent is a transfer's: other shares let it swing by less.
    static let riseOfTransfer = Duration.milliseconds(100)
    /// Packets by which our part grows each round trip beside another flow (`RateControl.growthOfTCP`): less leaves too little
    /// beside one that yields by 30 %.
    static let packetsOfGrowth = 1.7
    /// Seconds that a round trip counts as in that growth, at least: it stays finite.
    static let leastRoundTripOfGrowth = 0.02
    /// Bytes of another flow's packet.
    static let packetOfTCP = 1460

    // MARK: Times of arrival

    /// Times of arrival are held against those of so many seconds, in which clocks don't drift by `slackOfArrivals`.
    static let secondsOfArrivalClock = 2
    /// A time of arrival may be off what can be by so much.
    static let slackOfArrivals = Duration.milliseconds(10)
    /// Who told once of what can't be is not believed for so long when packets came.
    static let distrustOfArrivals = Duration.seconds(10)

    // MARK: Rates

    /// Bits per second below which no rate falls.
    static let lowestRate = 20_000
    /// Bits per second that a peer's estimate may name.
    static let highestRate = 1_000_000_000
    /// Arrivals of this time are kept.
    static let deliveryWindow = Duration.milliseconds(600)
    /// Arrivals that are kept, at most: those of that time at 40 Mbit/s.
    static let deliveredPackets = 2500
    /// Between two arrivals there is never so much: the peer's clock has wrapped, or jumped.
    static let clockJump = Duration.seconds(30)
    /// Arrivals closer together than this tell no rate.
    static let shortestDelivery = Duration.milliseconds(20)
    /// Fewer arrivals than this tell no rate.
    static let packetsOfDelivery = 4
    /// The newest arrivals, by which the outflow of a very long queue is told.
    static let latestWindow = Duration.milliseconds(50)
    /// The arrivals by which a queue's outflow is told.
    static let outflowWindow = Duration.milliseconds(120)
    /// The arrivals by which it is told what passes.
    static let sustainedWindow = Duration.milliseconds(500)
    /// Per cent of what the path takes that media may use: the rest empties queues.
    static let usePercent = 92
    /// Most of what may be sent is, where more than so many per cent of it come: of less, what comes says nothing of what
    /// might.
    static let busyPercent = 70
    /// How much was too much, by a long queue or by marks of congestion, is remembered for so long.
    static let shareMemory = Duration.seconds(4)
    /// Where there has been no queue for so long, how much came through the last is forgotten.
    static let emptyTime = Duration.seconds(1)
    /// What trains told of the link is remembered for so long.
    static let linkMemory = Duration.seconds(15)
    /// Who has little of a link grows as if it had so many times as much, at most.
    static let growthAdvantage = 8
    /// The part by which a flow grows in a second that has the link for itself, where nothing better is known: as GoogCC's.
    static let growthPerSecond = 0.08
    /// The part by which a flow grows in a second back to what has passed before: to twice as much.
    static let knownGrowthPerSecond = 1.0
    /// Up to so many per cent of what has passed before a flow grows back so fast.
    static let knownPercent = 90

    // MARK: Trains

    /// Packets that left further apart than this do not belong together.
    static let trainGap = Duration.milliseconds(6)
    /// Packets of a train, at least.
    static let packetsOfTrain = 3
    /// Bytes of a train behind its first packet, at least.
    static let bytesOfTrain = 2000
    /// Packets of a train, at most.
    static let packetsOfLongTrain = 40
    /// A train of so many packets is measured before its end.
    static let packetsOfEarlyTrain = 12
    /// Transport-wide feedback tells arrivals by a quarter of a millisecond.
    package static let arrivalResolution = Duration.microseconds(250)
    /// Feedback by RFC 8888 tells arrivals by 1/1024 s: half as much more, for both ends are rounded.
    package static let streamArrivalResolution = Duration.microseconds(1500)
    /// A train that came at so many per cent of the rate at which it left came as fast.
    static let unlimitedPercent = 85
    /// Trains whose middle is what the path takes.
    static let trainsRemembered = 7

    // MARK: Probes of an idle path

    /// A probe lasts for so long at the rate at which it leaves.
    static let probeTime = Duration.milliseconds(15)
    /// Packets of a probe, at least: where half are lost they make a train.
    static let packetsOfProbe = 7
    /// Bytes of a packet that a probe repeats, at least.
    package static let probeBytes = 1000
    /// Between two probes, as long as they find something new; else twice as long each time. 7 kB in 16 s are 4 kbit/s.
    static let probeInterval = Duration.seconds(2)
    /// Between two probes, at most.
    static let longestProbeInterval = Duration.seconds(16)
    /// Between a picture and the probe that follows it, at least.
    static let probePause = Duration.milliseconds(300)

    // MARK: Loss

    /// The time of one observation of loss; libwebrtc's second loss-based controller takes as long.
    static let lossInterval = Duration.milliseconds(250)
    /// Observations of loss that are compared.
    static let lossObservations = 15
    /// Packets of an observation of loss, at least.
    static let packetsOfLossObservation = 10
    /// The share lost up to which nothing is thought of it.
    static let toleratedLoss = 0.02
    /// The share lost above which less is sent.
    static let heavyLoss = 0.1
    /// Observations of loss tell whether less to send helps where the highest rate is more than so many times the lowest.
    static let spreadOfRates = 1.2
    /// Loss is the path's own where with less sent more than this part of it is still there.
    static let shareOfInherent = 0.6
    /// The share lost from which it counts beside another flow, which heeds each loss: one packet of an observation at up to
    /// 4 Mbit/s.
    static let lossBesideOthers = 0.01
    /// What is sent after a loss beside another flow: its queue overflows for about two observations, and TCP sends 30 to 50 %
    /// less after that.
    static let yieldToLoss = 0.88

    // MARK: Policers

    /// The share lost from which it is tried whether a policer does it: what repair and the eye do not mind is not worth a
    /// trial.
    static let lossOfTrial = 0.12
    /// From the beginning of a trial to the first packet that counts in it.
    static let startOfTrial = Duration.milliseconds(200)
    /// How long packets count in a trial, at least.
    static let timeOfTrial = Duration.milliseconds(800)
    /// Per cent of what passes that is sent in a trial: clearly less than a policer lets pass, for that is known by half a
    /// second.
    static let useOfTrialPercent = 80
    /// Bits per second that are taken to pass in a trial, at least: what heavy losses in bursts leave of a second says little.
    static let leastOfTrial = 160_000
    /// Packets of a trial, at least.
    static let packetsOfTrial = 60
    /// A trial for which too few packets leave ends after this time.
    static let longestTrial = Duration.seconds(8)
    /// Packets of a trial that has lasted for `longestTrial`, at least.
    static let fewestPacketsOfTrial = 20
    /// A trial in which so long no observation of loss was made is broken off.
    static let longestPauseOfTrial = Duration.seconds(1)
    /// Between two trials after one that found no policer; twice as long each time.
    static let pauseOfTrials = Duration.seconds(30)
    /// Between two trials, at most.
    static let longestPauseOfTrials = Duration.seconds(300)
    /// Before a trial that follows one that was broken off, or a policer that turned out to be none.
    static let pauseOfDoubt = Duration.seconds(3)
    /// Observations of loss in a row that show that much is sent, and without a pause.
    static let observationsOfSteadiness = 4
    /// A policer that was found is believed in for so long, twice as long each time that it was one. Then trains count
    /// again, which pass where it has saved up for them.
    static let beliefInPolicer = Duration.seconds(15)
    /// A policer is believed in for no longer than this before it is looked for again.
    static let longestBeliefInPolicer = Duration.seconds(120)
    /// Observations of loss in a row that show that a policer has gone.
    static let observationsOfRelease = 2
    /// Per cent of what passes a policer that are sent after losses.
    static let useOfPolicedPercent = 95
    /// The share lost above which less is sent where there is a policer.
    static let lossOfPoliced = 0.05
    /// The share lost up to which a policer lets pass what leaves faster.
    static let lossOfPacing = 0.01
    /// No policer drops anything where less than this part of its rate passes: what is lost there disproves it.
    static let shareBelowPolicer = 0.7
    /// From so many per cent of what a policer lets pass on, growth is slow: beyond, packets are lost at once.
    static let nearPolicerPercent = 90
    /// The part by which a flow grows in a second near what a policer lets pass.
    static let growthNearPolicer = 0.03

    // MARK: Repair

    /// One part in so many of the media may be sent again, so that a lying viewer costs little.
    static let repairShare = 4
    /// What a path takes and nothing needs is saved up for so long: a page that was turned meanwhile is repeated as well.
    static let spareTime = Duration.milliseconds(500)
    /// Bytes that may be sent again before there was any media, and are saved up at least: sixteen packets.
    static let firstRepairs = 20_000

    // MARK: Silence

    /// No feedback for so long beyond two round trips, though something is in flight: nothing passes.
    static let silence = Duration.milliseconds(200)
    /// What was known before a longer silence is doubted.
    static let forgettingSilence = Duration.milliseconds(800)
    /// One packet in this time leaves in silence, by which the path's return is noticed (RFC 9002 § 6.2).
    static let silentInterval = Duration.milliseconds(50)
    /// After so long a silence fewer packets leave: who waited for seconds does not notice the difference.
    static let longSilence = Duration.seconds(5)
    /// One packet in this time leaves after a `longSilence`.
    static let longSilentInterval = Duration.milliseconds(150)

    // MARK: Feedback

    /// Between two feedback messages, until that is measured; and what an answer to one takes at most beyond a round trip.
    static let feedbackInterval = Duration.milliseconds(50)
    /// The time between two feedback messages counts as no longer than this.
    static let longestFeedbackInterval = Duration.milliseconds(150)
    /// The round trip until one is measured.
    static let assumedRoundTrip = Duration.milliseconds(100)
    /// Feedback messages closer together than this are told in one moment.
    static let gapInMoment = Duration.milliseconds(4)
    /// A moment in which feedback is told lasts so long at most.
    static let longestMoment = Duration.milliseconds(150)
    /// What is told is held for longer than this by nobody who tells of each picture, or of some.
    static let shortHolding = Duration.milliseconds(200)
    /// The next feedback may be held for so many times as long as the longest, from one session's RTCP to the next.
    static let holdingFactor = 2
    /// What is told is held for this long at most.
    static let longestHolding = Duration.seconds(1)
    /// One part in so many of the longest holding is forgotten with each moment in which feedback is told.
    static let holdingMemory = 32
    /// One part in so many is forgotten behind a moment that told of less than a `shortHolding`.
    static let shortHoldingMemory = 6
    /// Bytes that may be in flight whatever is known: five packets.
    package static let leastWindow = 6_000
    /// The share lost above which feedback may be lost as well.
    static let lossOfSlack = 0.01
    /// Where feedback may be lost, the window allows for so long without any.
    static let feedbackSlack = Duration.milliseconds(120)
    /// Bytes of a packet that leaves all the same where feedback is missing for longer, until that counts as silence.
    static let packetOfTrickle = 1200
    /// These packets leave at one part in so many of the target.
    static let trickleShare = 2
}
