import Timebase

/// Towards peers that give no feedback on single packets.
extension Limits {
    // MARK: What is asked for, and reports

    /// Packets of which a loss says something; of a screen at rest a receiver report tells of two.
    static let packetsOfReport = 20
    /// Reports of such peers are up to 5 s apart, half as much more at random (RFC 3550 § 6.3.1).
    static let longestReportInterval = Duration.seconds(8)
    /// What is asked for is weighed so often.
    static let askedInterval = Duration.milliseconds(500)
    /// A packet is missed when the next has come, and asked for up to this time later.
    static let askedLate = Duration.milliseconds(100)
    /// The part of what passed, as a report tells it, that is sent after many losses in a queue.
    static let shareOfPassed = 0.95

    // MARK: Round trips

    /// Bits per second from which on a round trip is measured every `roundTripInterval`.
    static let leastForRoundTrip = 100_000.0
    /// Between two measurements of the round trip.
    static let roundTripInterval = Duration.milliseconds(200)
    /// More measurements in a row than this without an answer wait in a queue, or find no room in it.
    static let unansweredOfQueue = 4
    /// Seconds over which the least round trip is the path's.
    static let secondsOfLeastRoundTrip = 60
    /// A round trip that has become so much longer waits in a queue: less is sent, as GoogCC answers overuse.
    static let queueOfRoundTrip = Duration.milliseconds(100)
    /// Between two round trips that tell how fast the queue grows, at least.
    static let leastForGrowth = Duration.milliseconds(200)
    /// The part by which more is sent in a second where round trips tell of no queue: growth need not wait for losses then.
    static let growthByRoundTrips = 0.2
    /// Round trips that differ by less than this tell of a queue of one length.
    static let widthOfRoundTrips = Duration.milliseconds(40)
    /// A queue that keeps its length for so long, though less is sent, is the path's own.
    static let plateauOfRoundTrips = Duration.seconds(3)
    /// Less is sent where it is below this part of what was when a queue began to keep its length.
    static let fallOfPlateau = 0.8

    // MARK: A queue

    /// The part of what was sent that is sent once a queue is found.
    static let lessForQueue = 0.85
    /// The part of what was sent that is sent once a queue is found to be full: packets are missed as well.
    static let lessForFullQueue = 0.7
    /// The part of what may be used that queues leave us at least: an eighth, beside others that fill them.
    static let leastForQueues = 0.125
    /// The part of what passes that queues leave us at least where it is less than that.
    static let leastOfNarrow = 0.5
    /// A queue is to be gone after this time.
    static let timeOfLongQueue = Duration.seconds(1)
    /// The part of what was sent that is sent until a long queue has gone, at least.
    static let leastForLongQueue = 0.3
    /// Behind a longer queue no pictures are sent until most of it is gone.
    static let queueOfPause = Duration.milliseconds(250)
    /// For a long queue no pictures are sent for so long at most.
    static let longestPause = Duration.milliseconds(600)
    /// What is sent less within this time is for the same queue.
    static let timeOfQueue = Duration.seconds(3)
    /// From this part of what made a queue on, growth is slow: a round trip is measured twice before it counts.
    static let nearQueue = 0.85
    /// The part by which more is sent in a second near what made a queue, at most.
    static let growthNearQueue = 0.04
    /// What made a queue is remembered for so long.
    static let memoryOfQueue = Duration.seconds(20)

    // MARK: Proof

    /// A path is known to take a rate where so much of it passed in a second: an encoder seldom makes all that it may.
    static let shareOfProof = 0.5
    /// And for so long: from one page to the next, or one scrolling.
    static let memoryOfProof = Duration.seconds(10)

    // MARK: The start

    /// Bytes that leave at first: TCP's ten packets (RFC 6928).
    static let firstWindow = 14_000
    /// Bytes that leave with one round trip at the start, at most.
    static let largestWindow = 4_000_000
    /// Round trips that are being measured at a time at the start.
    static let asksOfStart = 8
    /// A round trip that is longer by more than this waits in a queue of what left at the start.
    static let queueOfStart = Duration.milliseconds(30)
    /// An answer that takes so much longer than a round trip may be lost.
    static let patienceOfStart = Duration.milliseconds(200)
    /// The start is over after this time.
    static let timeOfStart = Duration.seconds(1)
    /// A round trip may be told to be so much longer than it was: what measured it left up to this time later.
    static let jitterOfStart = Duration.milliseconds(2)

    // MARK: Estimates of peers (REMB)

    /// More is sent than the peer believes in where it is so many times as much.
    static let excessOverEstimate = 1.1
    /// An estimate below this part of the last has fallen by more than rounding: GoogCC's falls to 85 % of what comes.
    static let fallOfEstimate = 0.97
    /// An estimate that grows follows what comes, by 8 % a second: one that has not grown by this is meant as a bound.
    static let growthOfEstimate = 1.05
    /// An estimate must have stayed for so long to be a bound.
    static let patienceWithEstimate = Duration.seconds(2)
    /// What was too much is taken to be so many times the estimate, at most.
    static let overloadOfEstimate = 1.3
    /// From this part of what was too much on, more is sent slowly.
    static let nearOverload = 0.8
}
