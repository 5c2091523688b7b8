import Timebase

/// Every bound and constant of the controllers, with its reason.
package enum Limits {
    // What is remembered

    /// Packets in flight or not reported yet: two seconds at 40 Mbit/s; half of what 16 bits can name.
    package static let sentPackets = 8192
    /// Of those that are settled, so many are kept: what was called lost may still turn up.
    static let settledPackets = 1024
    /// Seconds over which the least one-way delay is the base: clocks drift 3 ms in that time at ±300 ppm.
    static let secondsOfBaseDelay = 10
    /// What was measured before nothing came for so long tells nothing of the path. Signs of life come once a second.
    static let pauseOfBaseDelay = Duration.seconds(30)
    /// And the least round trip: a path that changes is known soon.
    static let secondsOfRoundTrip = 4

    // Delay

    /// No queue is longer; what is told of one is a lie, or a clock that jumped.
    static let longestQueue = Duration.seconds(10)
    /// So few packets are judged with those of the next feedback.
    static let packetsOfStandingQueue = 3
    /// A queue above this is one: what a frame's worth of jitter is below.
    static let queueTarget = Duration.milliseconds(30)
    /// So many bytes of ours in a queue are few: two packets. Up to this length it is tolerated because of them.
    static let fewBytes = 2500
    /// Who has no more than this under way, sound among it, can hardly have made a queue that is long; then what is
    /// thought of the path falls to this part of it at most, each time.
    static let fewInFlight = 5000
    static let foreignQueuePercent = 70
    static let longestQueueOfFew = Duration.milliseconds(100)
    /// A queue that has been tolerable for so long, and is short now, is one that others shorten as well.
    static let yieldingTime = Duration.milliseconds(100)
    /// Where another flow holds a queue that we can't empty, up to this is tolerated (RFC 8298 § 4.2.1 adapts likewise).
    static let longestQueueTarget = Duration.milliseconds(350)
    /// Below this a queue may be a path that has become longer, which shows within some seconds.
    static let queueOfOthers = Duration.milliseconds(75)
    /// A queue of our own is gone by then: nobody's buffer holds more than a second, at three fifths of what it takes.
    static let ownQueueTime = Duration.seconds(3)
    /// After so long it is tried anew whether the queue is another flow's; after twice as long each time that it was.
    static let competition = Duration.seconds(30)
    static let longestCompetition = Duration.seconds(60)
    /// By then the other one, which found more room meanwhile, has filled the queue again.
    static let memoryOfTrial = Duration.seconds(10)
    /// Scatter above this is no jitter.
    static let longestJitter = Duration.milliseconds(30)
    /// A queue of one length: within this, by the least of each of these times.
    static let plateauInterval = Duration.milliseconds(500)
    static let plateauWidth = Duration.milliseconds(6)
    /// For so long: more may be sent, and it will show.
    static let steadyTime = Duration.seconds(1)
    /// A queue of one length for so long, though hardly anything is sent, is the path itself.
    static let plateauTime = Duration.milliseconds(1500)
    /// Beside another flow, whose queue grows slowly, so much more is needed to believe it; likewise of a long one, for
    /// few paths grow by so much.
    static let longPlateau = Duration.milliseconds(100)
    static let plateauTimeBeside = Duration.seconds(5)

    /// Times of arrival are held against those of so many seconds, in which clocks don't drift by the slack.
    static let secondsOfArrivalClock = 2
    static let slackOfArrivals = Duration.milliseconds(10)
    /// Told once of what can't be, for so long it is not believed when packets came.
    static let distrustOfArrivals = Duration.seconds(10)

    // Rates

    package static let lowestRate = 20_000
    package static let highestRate = 1_000_000_000
    static let deliveryWindow = Duration.milliseconds(600)
    /// Of that time, at 40 Mbit/s.
    static let deliveredPackets = 2500
    static let clockJump = Duration.seconds(30)
    static let shortestDelivery = Duration.milliseconds(20)
    static let packetsOfDelivery = 4
    /// The newest arrivals, by which a queue's outflow is told.
    static let latestWindow = Duration.milliseconds(50)
    static let outflowWindow = Duration.milliseconds(120)
    static let sustainedWindow = Duration.milliseconds(500)
    /// Of what the path takes, what media may use: the rest empties queues.
    static let usePercent = 92
    /// How much came through a long queue is remembered for so long, or until there has been none for a while.
    static let shareMemory = Duration.seconds(4)
    static let emptyTime = Duration.seconds(1)
    /// What trains told of the link, likewise.
    static let linkMemory = Duration.seconds(15)
    /// Who has little of a link grows as if it had so many times as much, at most.
    static let growthAdvantage = 8
    /// GoogCC grows by 8 % a second; so does a flow that has the link for itself, where nothing better is known.
    static let growthPerSecond = 0.08
    /// Back to what has passed before: twice as much each second.
    static let knownGrowthPerSecond = 1.0

    // Trains

    /// Packets further apart than this do not belong together.
    static let trainGap = Duration.milliseconds(6)
    static let packetsOfTrain = 3
    static let bytesOfTrain = 2000
    static let packetsOfLongTrain = 40
    static let packetsOfEarlyTrain = 12
    /// Transport-wide feedback tells arrivals by a quarter of a millisecond.
    package static let arrivalResolution = Duration.microseconds(250)
    /// Feedback by RFC 8888 by 1/1024 s: half as much more, for both ends are rounded.
    package static let streamArrivalResolution = Duration.microseconds(1500)
    static let unlimitedPercent = 85
    static let trainsRemembered = 7

    // Probes of an idle path

    /// So much time at twice what is known, and no fewer packets than make a train where half are lost.
    static let probeTime = Duration.milliseconds(15)
    static let packetsOfProbe = 7
    package static let probeBytes = 1000
    /// Between two, as long as they find more; else twice as long each time. 7 kB in 16 s are 4 kbit/s.
    static let probeInterval = Duration.seconds(2)
    static let longestProbeInterval = Duration.seconds(16)
    /// A picture is not followed by one at once.
    static let probePause = Duration.milliseconds(300)

    // Loss

    /// An observation of loss; libwebrtc's second loss-based controller takes as long.
    static let lossInterval = Duration.milliseconds(250)
    static let lossObservations = 15
    static let packetsOfLossObservation = 10
    /// Packets of which a receiver report's loss says something; of a screen at rest it tells of two.
    static let packetsOfReport = 20
    /// Reports of such peers are up to 5 s apart, half as much more at random (RFC 3550 § 6.3.1); what is asked for
    /// meanwhile is weighed so often.
    static let longestReportInterval = Duration.seconds(8)
    static let askedInterval = Duration.milliseconds(500)
    /// A packet is missed when the next has come, and asked for some time later.
    static let askedLate = Duration.milliseconds(100)
    /// A round trip that has become so much longer waits in a queue: less is sent, as GoogCC answers overuse, down to an
    /// eighth of what may be used.
    static let queueOfRoundTrip = Duration.milliseconds(100)
    static let lessForQueue = 0.85
    /// A queue is to be gone after a second, for three tenths of what passes at least.
    static let timeOfLongQueue = Duration.seconds(1)
    static let leastForLongQueue = 0.3
    /// Behind a longer one no pictures are sent until most of it is gone.
    static let queueOfPause = Duration.milliseconds(250)
    static let longestPause = Duration.milliseconds(600)
    /// Between two round trips that tell how fast it grows.
    static let leastForGrowth = Duration.milliseconds(200)
    /// What is sent less within this time is for the same queue.
    static let timeOfQueue = Duration.seconds(3)
    /// From 85 % of what made a queue on, growth is slow for a while: a round trip is measured twice before it counts.
    static let nearQueue = 0.85
    static let growthNearQueue = 0.04
    static let memoryOfQueue = Duration.seconds(20)
    static let leastForQueues = 0.125
    /// Where packets are missed as well; and of what a report tells to have passed then.
    static let lessForFullQueue = 0.7
    static let shareOfPassed = 0.95
    /// Where round trips tell of queues, growth need not wait for losses to do so.
    static let growthByRoundTrips = 0.2
    static let secondsOfLeastRoundTrip = 60
    /// One that stays within this for so long, though so much less is sent, is the path's own.
    static let widthOfRoundTrips = Duration.milliseconds(40)
    static let plateauOfRoundTrips = Duration.seconds(3)
    static let fallOfPlateau = 0.8
    /// Where so much is sent, a round trip is measured so often.
    static let leastForRoundTrip = 100_000.0
    static let roundTripInterval = Duration.milliseconds(200)
    /// So many in a row without an answer wait in a queue, or find no room in it.
    static let unansweredOfQueue = 4
    static let toleratedLoss = 0.02
    static let heavyLoss = 0.1
    /// Beside another flow: an overflow lasts for about two observations, and TCP sends 30 % less after it.
    static let yieldToLoss = 0.85
    /// So much loss for so long may be a policer's: what repair and the eye do not mind is not worth a trial.
    static let lossOfTrial = 0.12
    /// Its packets are those that left some time after it began.
    static let startOfTrial = Duration.milliseconds(200)
    static let timeOfTrial = Duration.milliseconds(800)
    /// Of what passes: clearly less than a policer lets pass, for that is known by half a second.
    static let useOfTrialPercent = 80
    static let packetsOfTrial = 60
    static let longestTrial = Duration.seconds(8)
    static let fewestPacketsOfTrial = 20
    static let pauseOfTrials = Duration.seconds(30)
    static let longestPauseOfTrials = Duration.seconds(300)
    static let observationsOfSteadiness = 4
    /// Then trains count again, which pass where a policer has saved up for them; each time that it was one, half as often.
    static let beliefInPolicer = Duration.seconds(15)
    static let longestBeliefInPolicer = Duration.seconds(120)
    static let observationsOfRelease = 2
    static let pauseOfDoubt = Duration.seconds(3)
    static let longestPauseOfTrial = Duration.seconds(1)
    /// Sound that is too much for a path is made less, and its queue gone, by then.
    static let excuseOfOwn = Duration.seconds(30)
    /// Of what passes, what is sent after losses.
    static let useOfPolicedPercent = 95
    static let lossOfPoliced = 0.05
    static let growthNearPolicer = 0.03
    /// A round trip: Reno and CUBIC, which answer loss otherwise, keep their part then, and so do we beside them.
    static let packetsOfGrowth = 0.7

    // The start towards who tells nothing of packets

    /// Bytes: TCP's ten packets (RFC 6928).
    static let firstWindow = 14_000
    static let largestWindow = 4_000_000
    static let asksOfStart = 8
    static let queueOfStart = Duration.milliseconds(30)
    static let patienceOfStart = Duration.milliseconds(200)
    static let timeOfStart = Duration.seconds(1)
    static let jitterOfStart = Duration.milliseconds(2)

    // Marks of congestion (ECN)

    /// BETA_ECN of RFC 8298 § 4.1.1.1 (RFC 8511 likewise takes less than for loss: who marks has a short queue).
    static let yieldToMark = 0.9
    /// RFC 8257 § 3.3: its g.
    static let gainOfMarks = 1.0 / 16
    /// The test: a packet after so many that are none, in this time at most, and so many in all; a path that drops them
    /// loses a tenth of what it carries meanwhile, as repair is made for. Without any it is given up after so long.
    static let packetsPerMarkTest = 9
    static let markTestInterval = Duration.milliseconds(20)
    static let markTests = 10
    static let markTestTime = Duration.seconds(2)
    /// So many tell whether marks are wiped out.
    static let packetsOfMarks = 50
    /// Reports of them come once a second; the RTCP interval of RFC 3550 § 6.2 may be as long as this.
    static let longestMarkReport = Duration.seconds(5)
    /// Where so much was marked without a queue, and still is when so little is left of what was sent, something marks
    /// whatever comes.
    static let saturation = 0.9
    static let fallOfSaturation = 0.125
    /// Over twice to once as many it is known what part is marked.
    static let packetsOfPart = 500
    /// Bytes.
    static let packetOfTCP = 1460
    /// Few packets are not all of them.
    static let packetsOfSaturation = 10
    /// A network that failed is tried again, for it may be another by then; after each failure twice as late, up to half
    /// an hour.
    static let marksRetry = Duration.seconds(60)
    static let marksRetryDoublings = 5
    /// So many packets that may have been marked vanish together where nothing marked passes.
    static let packetsOfDoubt = 3
    /// A path that loses so much may do so for the permission to mark, on one of two ways that it has (RFC 6679 § 7.4.1).
    static let lossOfMarkable = 0.2

    // Estimates of peers (REMB)

    /// More is sent than the peer believes in.
    static let excessOverEstimate = 1.1
    /// An estimate falls by more than rounding: GoogCC's falls to 85 % of what comes.
    static let fallOfEstimate = 0.97
    /// One that grows follows what comes, by 8 % a second; one that has not grown by this for so long is meant as a bound.
    static let growthOfEstimate = 1.05
    static let patienceWithEstimate = Duration.seconds(2)
    static let overloadOfEstimate = 1.3
    /// From here on what was too much is approached slowly.
    static let nearOverload = 0.8

    // Repair

    /// Retransmissions: a quarter of the media, so that a lying viewer costs little.
    static let repairShare = 4
    /// Before there was any: sixteen packets.
    static let firstRepairs = 20_000

    // Silence

    /// No feedback for so long beyond a round trip, though something is in flight: nothing passes.
    static let silence = Duration.milliseconds(200)
    /// What was known before a longer one is doubted.
    static let forgettingSilence = Duration.milliseconds(800)
    /// One packet in this time then, by which the path's return is noticed (RFC 9002 § 6.2).
    static let silentInterval = Duration.milliseconds(50)
    /// Where that has lasted, fewer: who waited for seconds does not notice the difference.
    static let longSilence = Duration.seconds(5)
    static let longSilentInterval = Duration.milliseconds(150)
    /// Between two feedbacks, until that is measured; and what an answer to one takes at most beyond a round trip.
    static let feedbackInterval = Duration.milliseconds(50)
    static let longestFeedbackInterval = Duration.milliseconds(150)
    /// Feedback that comes so close together is told in one moment, which lasts so long at most.
    static let gapInMoment = Duration.milliseconds(4)
    static let longestMoment = Duration.milliseconds(150)
    /// Longer than this is held by nobody who tells of each picture, or of some; the next may be held for so many times as
    /// long, from one session's RTCP to the next.
    static let shortHolding = Duration.milliseconds(200)
    static let holdingFactor = 2
    static let longestHolding = Duration.seconds(1)
    /// Each moment one part of so many is forgotten.
    static let holdingMemory = 32
    static let shortHoldingMemory = 6
    /// What may be in flight whatever is known: five packets.
    package static let leastWindow = 6_000
    /// Where a path loses so much of itself, feedback may be missing for so long.
    static let lossOfSlack = 0.01
    static let feedbackSlack = Duration.milliseconds(120)
    /// Beyond that, half of the target leaves, until it counts as silence.
    static let packetOfTrickle = 1200
    static let trickleShare = 2
    static let assumedRoundTrip = Duration.milliseconds(100)
}
