import Timebase

/// Every bound of a peer, with its reason. This file: the peer, its path, and what a sharer sends.
enum Limits {
    // MARK: Setup

    /// From the offer until a peer is to be connected; browsers give up at about the same time.
    static let setupTime = Duration.seconds(30)
    /// Handshake datagrams that are kept until the other side's answer is known.
    static let earlyHandshakeDatagrams = 8

    // MARK: Signs of life

    /// Nothing from the peer for this long has its pair checked: a picture or a report of one comes each second.
    static let quietTime = Duration.milliseconds(1200)
    /// The least time without anything from the peer that has its pair checked, where much more has come of late.
    static let leastQuietTime = Duration.milliseconds(300)
    /// Between two checks of a pair that has gone quiet.
    static let quietInterval = Duration.milliseconds(200)
    /// After so many checks in a row without an answer the next come half as often.
    static let hastyChecks = 10
    /// Checks in a row without an answer, until ICE's own time for silence has come. Who reports every five seconds only
    /// is asked 14 times in between, one and a half kilobytes.
    static let quietChecks = 25
    /// Without feedback on packets: no check was answered for so long, and nothing else heard. Of reports that come each
    /// second one may get lost, and a check may wait in a queue.
    static let unansweredTime = Duration.seconds(2)
    /// One packet of pictures in this time leaves then: who gets it asks for those before it.
    static let unansweredInterval = Duration.milliseconds(150)
    /// Reports that tell of more packets while feedback on them is missing, until it is waited for no longer: the first may tell
    /// of what came before, and the next be there before the feedback where an outage ends.
    static let reportsWithoutFeedback = 4
    /// Of reports that come closer together only one counts for that; browsers' are half a second apart at least.
    static let pauseOfToldReports = Duration.milliseconds(500)
    /// Who was heard, or answered a check, within this time has no other address yet: a report from one is not read.
    static let pauseOfReports = Duration.milliseconds(100)

    // MARK: Queue

    /// Encoded units that wait for the pacer of one viewer: four seconds at 30 fps. A viewer further behind begins again
    /// with the next keyframe.
    static let queuedUnits = 120
    /// Bytes of units that wait for the pacer of one viewer: as many as the largest one has. A viewer with more waiting
    /// begins again with the next keyframe.
    static let queuedBytes = 4 << 20
    /// How long the first unit may wait for the pacer before its viewer begins again.
    static let queuedTime = Duration.milliseconds(1500)
    /// How long a keyframe that has begun to leave may take before what stands behind it is dropped; it goes on, for another
    /// one would take as long. 20 kB at 40 kbit/s.
    static let keyframeTime = Duration.seconds(4)
    /// How long a keyframe may take to leave where nothing waits behind it any more: 50 kB at 20 kbit/s.
    static let longestKeyframeTime = Duration.seconds(20)
    /// Pictures that take longer than this to leave hold back the next.
    static let backlog = Duration.milliseconds(60)
    /// Pictures that were held back go on once those that wait take no longer than this to leave.
    static let backlogOver = Duration.milliseconds(25)
    /// What a viewer has given up is not sent to the end where that takes longer than this.
    static let longWait = Duration.milliseconds(300)
    /// Nothing passed for longer than this: pictures begin anew.
    static let lostInSilence = Duration.milliseconds(400)

    // MARK: Pacing

    /// Pictures leave at so many times the target's rate, at most: a page change of 100 kB crosses in 20 ms at 4 Mbit/s.
    static let pacingFactor = 10
    /// Pictures leave at so many times the rate that the path takes, at most: they arrive no sooner for leaving faster, but
    /// show what more there is.
    static let burstFactor = 2
    /// Where a policer drops what is beyond its rate, or that is being tried, pictures leave at so many per cent of what the
    /// path takes, at most: keyframes, what is sent again and repair packets have to fit as well.
    static let policedPacingPercent = 125
    /// Bytes of pictures that leave at once, at most: 16 packets, more than a frame of typing or scrolling.
    static let burstBytes = 20_000
    /// Bytes of pictures that leave at once however low the rate is: two packets.
    static let leastBurstBytes = 3_000
    /// What leaves at once takes no longer than one part in so many of a second at the pacing rate, well within a frame's
    /// time.
    static let burstsPerSecond = 130
    /// What only sharpens a picture leaves at this rate, in per cent of the target: nothing behind it is to wait.
    static let patientPacingPercent = 105
    /// Bytes of what only sharpens a picture that leave at once: four packets.
    static let patientBurstBytes = 5_000
    /// Before a queue of this length on the path, pictures leave no faster than the target: they would wait in it.
    static let burstQueueDelay = Duration.milliseconds(40)
    /// After a queue of this length on the path, pictures leave no faster than the target for a while: what has piled up
    /// here meanwhile must not make the next.
    static let restQueueDelay = Duration.milliseconds(100)
    /// How long pictures leave no faster than the target after a queue of `restQueueDelay`.
    static let restDuration = Duration.milliseconds(500)
    /// Bytes of room kept beside a payload, so that a packet is allocated once: header and extensions (64), and what
    /// libsrtp may write behind it (148).
    static let packetOverhead = 224

    // MARK: Start

    /// Bits per second that a path is taken to carry until feedback comes: ten times what browsers start with, because a
    /// page must not wait.
    static let startRate = 3_000_000
    /// Bytes that may leave before any feedback.
    static let startCredit = 40_000
    /// A round trip below this is that of a local network.
    static let localRoundTrip = Duration.milliseconds(8)
    /// Bits per second that a local network is taken to carry until feedback comes.
    static let localStartRate = 10_000_000
    /// Bytes that may leave into a local network before any feedback.
    static let localStartCredit = 80_000
    /// A peer that agreed on feedback and gives none is waited for no longer than this.
    static let creditTime = Duration.milliseconds(400)
    /// The round trip before one was measured: a fast one, so that the first repairs are not held back.
    static let assumedRoundTrip = Duration.milliseconds(20)

    // MARK: Feedback that is read

    /// Bytes of a packet's IPv4 and UDP headers. Packets are counted after protection: their tag is in already.
    static let ipOverhead = 28
    /// Feedback messages read in a second: browsers give 10 to 20, our viewer 14 to 67, for a moment 200.
    static let feedbacksPerSecond = 200
    /// Packets that are read of one feedback message.
    static let statusesPerFeedback: UInt16 = 8192
    /// A message that tells of so many more packets counts as one more: after an outage there are thousands to tell of,
    /// once.
    static let statusesAtOneCost = 128
    /// What a viewer's requests may cost in a second, in packets that are looked for: more than any path of ours asks for,
    /// less than takes notice of.
    static let requestsPerSecond = 50_000
    /// What a request costs beside the packets that it names where what is owed is sorted anew for each: of the smallest,
    /// 2900 a second are looked at, twice as many as GStreamer makes of a tenth lost of 40 Mbit/s.
    static let costOfRequest = 16
    /// Requests for a keyframe that are passed on in a second. No peer makes more than a few.
    static let keyframeRequestsPerSecond = 50
    /// Packets that one report is taken to be of, at most.
    static let packetsBetweenReports = 10_000
    /// Streams whose ECN a viewer may tell of: pictures, what is sent again, repair packets, sound; and as many again.
    static let ecnStreams = 8
    /// Packets that ECN feedback tells of beyond the last, at most; it comes once a second.
    static let packetsOfECNFeedback: UInt32 = 65_535
    /// Packets that ECN feedback may tell of beyond its advance: those told of as missing that came after all.
    static let lateForECNFeedback = 1024

    // MARK: What the owner is told

    /// The share of a packet's bytes that is a picture's: 1140 of payload, about 60 of headers.
    static let payloadShare = 0.95
    /// Bits per second below which no picture can be made; the pacer delays instead.
    static let leastForPictures = 60_000
    /// The part lost that pictures leave room for, at most: no more than a quarter of what left is sent again (`RepairBudget`).
    static let mostLossOfPictures = 0.25
    /// A picture that is only made sharper is left to hurry for what is new, and holds nothing back, where it can leave at
    /// more than so many per cent of what pictures may use.
    static let hurryPercent = 150
    /// Targets that differ by less than one part in so many are not worth telling.
    static let noticeable = 30

    // MARK: Probes of an idle path

    /// An idle path is measured until it is known to take so many times what pictures may use: a page that changes leaves
    /// that fast.
    static let knownFactor = 2
    /// Before a queue of this length on the path nothing is measured.
    static let queueOfProbe = Duration.milliseconds(15)
    /// A picture of so many packets measures the path by itself.
    static let packetsOfMeasure = 12
    /// A probe repeats no packet so many numbers old: it must not look like one to come, as it would from half of all
    /// sequence numbers ago.
    static let probeAge: Int64 = 8192

    // MARK: Repair: what is sent again

    /// What left longer ago than this, beyond a round trip, is of no more use unasked.
    static let timeOfUnasked = Duration.milliseconds(400)
    /// The share lost from which packets are sent again twice to a viewer that takes repair packets; to one that takes
    /// none, from `lossOfFlexFEC` on.
    static let lossOfDoubling = 0.07
    /// The round trip from which packets are sent again twice where loss lasts, and from which repair packets are of use:
    /// a second round would be seen.
    static let roundTripOfDoubling = Duration.milliseconds(35)
    /// Packets are lost in bursts, as on radio links, where so many are lost in a row on average: what is sent again is
    /// lost again far more often than the mean loss says. Single losses of one packet in ten make runs of 1.1.
    static let lengthOfBurst = 2.0
    /// Packets lost in a row that count in averages, at most: one outage is no habit.
    static let longestRun = 8.0
    /// Where bursts are lost packets are sent again twice from this round trip on; below it several rounds take no longer
    /// than a picture lasts.
    static let roundTripOfCopies = Duration.milliseconds(15)
    /// Between a packet that is sent again and its copy where bursts are lost: as long as some pictures' packets take.
    static let copyDistance = Duration.milliseconds(12)
    /// Bytes that are copied at a time on a narrow link too: three packets.
    static let leastCopied = 3_600
    /// Copies of what got lost a second time: few packets do, and it is the third round that is seen.
    static let copiesOfRepeated = 2
    /// Requests for a packet within so many per cent of a round trip are one: a whole one is never known to the millisecond.
    static let oneRequestPercent = 75
    /// Half of the answers take longer than the usual; so many per cent of it are waited for.
    static let slowAnswerPercent = 150
    /// An answer to our own viewers is taken to last no longer than so many per cent of a round trip, whatever their
    /// feedback tells: patience has a bound.
    static let longestAnswerPercent = 250
    /// Round trips tell of a queue late: by now it may have so many per cent of that length.
    static let grownQueuePercent = 150
    /// A request that comes so much later than a round trip and the queue is late: packets are missed and asked for within
    /// some 10 ms, as a rule. No time is left for a second round then.
    static let lateRequest = Duration.milliseconds(20)
    /// Bits per second: where packets leave more slowly, one by one, late requests are answered once. A copy takes 30 ms.
    static let paceOfCopies = 300_000
    /// By feedback, a queue no longer than this counts as none for repairs: jitter alone makes as much of a wait.
    static let queueOfRepair = Duration.milliseconds(40)
    /// By round trips, a queue no longer than this counts as none for repairs.
    static let queueOfOwed = Duration.milliseconds(150)
    /// By round trips, a longer queue than this may be full: it does not take what it had no room for.
    static let queueOfFull = Duration.milliseconds(250)
    /// Packets of one request that are sent again into a queue; more wait until it has gone.
    static let answeredIntoQueue = 8

    // MARK: Repair: what is owed

    /// Packets that are owed at a time: as many as aiortc asks for.
    static let packetsOwed = 128
    /// What is owed waits no longer than this for a queue to go, which others seem to fill.
    static let longestOwed = Duration.seconds(2)
    /// Between two packets that are owed, where no pictures follow.
    static let owedInterval = Duration.milliseconds(8)
    /// Between two looks at what is owed where there is a queue, or no budget; pictures that follow are no further apart.
    static let owedPause = Duration.milliseconds(100)
    /// Before what is owed may be sent again, at least: it left a little later than it was noted.
    static let leastPauseOfOwed = owedPause * 3 / 4
    /// The round trip after which what is owed may be sent again, until reports tell one.
    static let roundTripOfOwed = Duration.milliseconds(200)
    /// Packets behind the newest: what may have come is not sent again further behind. aiortc takes what is a hundred
    /// behind for a new stream (its MAX_MISORDER).
    static let packetsOfRepetition: UInt16 = 95
    /// Numbers that are left out to begin anew: aiortc waits behind a hole for 512 packets, and surely not for twice that.
    static let leap: Int64 = 1024
    /// Leaps that no report has come to: with as many all 16 bits of a number have gone by, and a report says nothing of what
    /// was before.
    static let unreportedLeaps = 64

    // MARK: Repair packets

    /// The share lost from which repair packets are sent, and a viewer counts as one that loses packets.
    static let lossOfFlexFEC = 0.012
    /// Where packets wait in a queue of this length, repair packets and copies of sound would only lengthen it.
    static let queueOfFlexFEC = Duration.milliseconds(50)
    /// Repair packets for each packet of pictures, at most.
    static let mostRepairPacketsPerPacket = 0.3
    /// Repair packets for each packet that is lost, up to `heavyLoss`.
    static let repairPacketsPerLoss = 1.65
    /// The share lost above which each picture is to have one more: without, more than half of them would wait for a round
    /// trip.
    static let heavyLoss = 0.06
    /// `repairPacketsPerLoss` grows by so many times the loss above `heavyLoss`.
    static let repairPacketsPerHeavyLoss = 12.0
    /// Repair packets for each packet that is lost, at most.
    static let mostRepairPacketsPerLoss = 2.1
    /// The round trip from which repair packets cover many pictures: two come before what is sent again. At 50 ms and 5 % lost
    /// more had to be sent again, as what waits for that stands in more equations.
    static let roundTripOfNextRepairs = Duration.milliseconds(80)
    /// The round trip from which a picture that waits for what is sent again is a freeze: a gap of 150 ms and a picture.
    static let roundTripOfFreeze = Duration.milliseconds(150)
    /// The share lost from which each such picture counts: some bursts of three packets in a minute.
    static let lossOfFreeze = 0.001
    /// Between a packet and its copy there: many more packets than a burst takes, and far less than a freeze.
    static let distanceOfCopies = Duration.milliseconds(60)
    /// Repair packets for each packet of pictures where losses are freezes: one or two for a picture of 4 Mbit/s, so that of
    /// bursts of three on average nine in ten are back within five pictures.
    static let repairPacketsPerPacketFarAway = 0.1

    // MARK: The handshake

    /// Before the last flight is sent again unasked, each time.
    static let lastFlightPauses: [Duration] = [.milliseconds(50), .milliseconds(100), .milliseconds(200)]

    // MARK: Keyframes

    /// A request that comes so soon after a keyframe may be older than it, and its losses are repaired.
    static let graceOfKeyframe = Duration.seconds(1)
    /// A request that comes within a round trip and this time after a keyframe is older than it could be judged by.
    static let timeToJudge = Duration.milliseconds(100)
    /// A viewer's first request within a round trip and this time after a keyframe is a reflex, with which many begin
    /// whatever comes. GStreamer asks within 10 ms of the first packet, and 0.6 s later where processors are busy.
    static let timeOfReflex = Duration.milliseconds(900)
    /// New keyframes at one viewer's wish, at once.
    static let keyframesAtOnce = 4
    /// Seconds to the next new keyframe at one viewer's wish, once `keyframesAtOnce` are used up.
    static let secondsPerKeyframe = 3
    /// What a new keyframe takes of the bucket that counts them; `secondsPerKeyframe` divides it.
    static let keyframeCost = 3000
    /// A keyframe that was asked for comes after a second at most; after this time it is asked for again.
    static let keyframePatience = Duration.seconds(2)

    // MARK: Pictures from the cache

    /// Pictures behind a keyframe that are kept for joiners, who decode them at once: two seconds at the source's rate, and
    /// a fraction of one in fact.
    static let cachedDeltas = 60
    /// Seconds in which the cache must cross to serve a viewer, or its keyframe to be looked at.
    static let cacheTime = 0.4
    /// What followed a keyframe is kept up to so many times its bytes. More than one keyframe's serves only who begins
    /// beside others.
    static let cachedKeyframes = 4
    /// Seconds in which the cache must cross to serve who begins beside others: in that time a joiner is to have a picture.
    static let cacheTimeBeside = 0.5
    /// Seconds in which who begins so beside others must have caught up with them: as long as it might have to wait for a
    /// keyframe.
    static let catchUpTime = 1.0
    /// The cache serves the same viewer no more often than this on average: as often as it would get keyframes.
    static let cacheInterval = Duration.seconds(1)
    /// Between two answers from the cache to one viewer, at least: what it asked for before it had looked at what came is no
    /// reason to hurry.
    static let cachePause = Duration.milliseconds(300)

    // MARK: Playout

    /// Pictures in a row that tell a new playout delay: one of them will arrive.
    static let playoutDelayUnits = 10
    /// Until a lost packet is there, beyond a round trip: it is missed once the next has come, and asked for.
    static let steadyMargin = Duration.milliseconds(20)
    /// A film that is held back for losses stays as it is where round trips change by less than this.
    static let steadyTolerance = Duration.milliseconds(30)
    /// The longest that a film is held back for losses: a satellite's round trip. People who talk notice 150 ms for all of
    /// the way (ITU-T G.114), but a film that stands still that long at each loss is noticed more.
    static let longestSteadyDelay = Duration.milliseconds(700)
    /// Packets must have been lost for so long before a film is held back, as loss is averaged: a path that turns out to be
    /// narrow loses some at first, too.
    static let timeOfLosses = Duration.seconds(4)
    /// Losses this far apart, before a film is held back for them, are not the same: a queue that comes and goes between hides
    /// some.
    static let pauseOfLosses = Duration.seconds(2)
    /// A film that is held back for losses is for so long after the last.
    static let steadyTime = Duration.seconds(10)

    // MARK: Reports and clocks

    /// Between two RTCP reports: one a second, as browsers do (RFC 3550 § 6.2 gives 5 % of the bandwidth, far more).
    static let reportInterval = Duration.seconds(1)
    /// abs-capture-time is told at least once in this time, as its draft asks for; it takes nine bytes of a packet.
    static let captureTimeInterval = Duration.seconds(1)
    /// abs-capture-time is told at once where so many pictures or packets of sound in a row are off what was told.
    static let unitsOff: UInt = 3
    /// A unit is off what was told by more than this: a quarter of what sound and pictures may be apart.
    static let clockTolerance = Duration.milliseconds(5)
    /// abs-capture-time is told no more often than this for units that are off.
    static let clockInterval = Duration.milliseconds(200)

    // MARK: Sound

    /// Packets of sound that wait for the event loop: a fifth of a second.
    static let queuedAudio = 10
    /// Bytes around a packet of sound: IP, UDP, RTP, extensions, tag.
    static let audioHeaders = 70.0
    /// A loss of sound that is off from what was told by more than this is told anew: in-band FEC is tuned by it.
    static let lossChange = 0.03
}
