import Timebase

/// Every bound of a peer, with its reason.
enum Limits {
    /// From the offer to a connected peer; browsers give up at about the same time.
    static let setupTime = Duration.seconds(30)
    /// Encoded units waiting for the pacer of one viewer: four seconds at 30 fps. A viewer further behind starts again
    /// at the next keyframe.
    static let queuedUnits = 120
    /// And in time.
    static let queuedTime = Duration.milliseconds(1500)
    /// Of a keyframe, part of which has left: another would take as long. 20 kB at 40 kbit/s. Behind that nothing waits with
    /// it any more, but it goes on for as long as this: 50 kB at 20 kbit/s.
    static let keyframeTime = Duration.seconds(4)
    static let longestKeyframeTime = Duration.seconds(20)
    /// And in bytes, for the same.
    static let queuedBytes = 4 << 20
    /// The pacer's rate beside the target's: a page change of 100 kB crosses in 20 ms at 4 Mbit/s.
    static let pacingFactor = 10
    /// The same for what only sharpens a picture, and its burst: four packets.
    static let patientPacingPercent = 105
    static let patientBurstBytes = 5_000
    static let leastBurstBytes = 3_000
    /// And beside what the path takes: a picture arrives no sooner for leaving faster, but shows what more there is.
    static let burstFactor = 2
    /// Behind a longer queue no faster than the target.
    static let queueOfBurst = Duration.milliseconds(40)
    /// After a queue that was this long, for so long.
    static let queueOfRest = Duration.milliseconds(100)
    static let timeOfRest = Duration.milliseconds(500)
    /// An idle path is measured until it is known to take so much more than pictures may use: a page that changes leaves
    /// that fast.
    static let knownFactor = 2
    static let queueOfProbe = Duration.milliseconds(15)
    /// A picture of so many packets measures the path.
    static let packetsOfMeasure = 12
    /// What a probe repeats must not look like a packet to come: far less than half of the sequence numbers ago.
    static let probeAge: Int64 = 8192
    /// What the path is taken to carry until feedback comes: ten times what browsers start with, because a page must not
    /// wait.
    static let startRate = 3_000_000
    /// Bytes that may leave before any feedback.
    static let startCredit = 40_000
    /// A round trip below this is that of a local network.
    static let localRoundTrip = Duration.milliseconds(8)
    static let localStartRate = 10_000_000
    static let localStartCredit = 80_000
    /// A peer that agreed on feedback and gives none is not waited for.
    static let creditTime = Duration.milliseconds(400)
    /// Who was heard, or answered a check, within this time has no other address yet.
    static let pauseOfReports = Duration.milliseconds(100)
    /// Headers of IPv4 and UDP. Packets are counted after protection, so that their tag is in already.
    static let ipOverhead = 28
    /// Feedback that is read: browsers give 10 to 20 a second, our viewer 14 to 67, for a moment 200.
    static let feedbacksPerSecond = 200
    static let statusesPerFeedback: UInt16 = 8192
    /// One that tells of so many more packets counts as one more: after an outage there are thousands to tell of, once.
    static let statusesAtOneCost = 128
    /// Packets that a viewer may ask for in a second: more than any path of ours carries, less than takes notice of.
    static let requestsPerSecond = 50_000
    /// Streams whose marks a viewer tells of: pictures, what is sent again, repair packets, sound; and packets of one
    /// report, which come once a second.
    static let markedStreams = 8
    static let packetsOfMarkReport: UInt32 = 65_535
    /// Packets that were told of as missing, and came after all.
    static let lateForMarkReport = 1024
    /// Of a packet's bytes: 1140 of payload and about 60 of headers.
    static let payloadShare = 0.95
    /// Below this no picture can be made; the pacer delays instead.
    static let leastForPictures = 60_000
    /// Pictures that wait longer than this to leave hold back the next, until so little waits.
    static let backlog = Duration.milliseconds(60)
    static let backlogOver = Duration.milliseconds(25)
    /// Targets that differ by less than a thirtieth are not worth telling.
    static let noticeable = 30
    /// What a receiver tells of: 25 times a second, at first sooner, and at once where so many came.
    static let feedbackInterval = Duration.milliseconds(40)
    static let feedbackPause = Duration.milliseconds(5)
    /// What so little came of waits longer, as sound alone does or a caret: a report is to take a twentieth of what it
    /// tells of (RFC 3550 § 6.2).
    static let quietFeedbackInterval = Duration.milliseconds(70)
    static let bytesPerFeedback = 2000
    /// So does what comes where there is much room: of so much time pictures' packets take no more than this, for so long.
    static let roomWindow = Duration.milliseconds(40)
    static let bytesOfPictures = 600
    static let busyTime = Duration.milliseconds(12)
    static let roomMemory = Duration.seconds(2)
    /// Where packets get lost so does feedback: it is told more often then.
    static let lossyFeedbackInterval = Duration.milliseconds(15)
    static let lossOfFeedback = 0.01
    static let weightOfPacket = 0.01
    static let lossMemory = Duration.seconds(5)
    /// There, the last report is told again so often where nothing follows it.
    static let feedbackRepeats = 8
    static let feedbackRepeatInterval = Duration.milliseconds(15)
    /// Where pictures came one after another and none follows any more, more often: it may be for want of a report.
    static let pauseOfPictures = Duration.milliseconds(80)
    static let repeatsBetweenPictures = 3
    static let repeatsOfStall = 27
    static let stalledRepeatInterval = Duration.milliseconds(5)
    static let eagerFeedbackInterval = Duration.milliseconds(15)
    static let eagerTime = Duration.seconds(1)
    static let packetsPerFeedback = 40
    /// Until a packet that was lost is there, beyond a round trip: it is missed once the next has come, and asked for.
    static let steadyMargin = Duration.milliseconds(20)
    static let steadyTolerance = Duration.milliseconds(30)
    /// Beyond this, on top of the way, it is noticed where people talk (ITU-T G.114 has 150 ms for all of it).
    static let longestSteadyDelay = Duration.milliseconds(150)
    /// Loss must have lasted for so long, as it is averaged: a path that turns out to be narrow loses some at first, too.
    static let timeOfLosses = Duration.seconds(4)
    /// A film that is held back for losses is for so long after the last.
    static let steadyTime = Duration.seconds(10)
    /// What left longer ago, beyond a round trip, is of no more use unasked.
    static let timeOfUnasked = Duration.milliseconds(400)
    /// Retransmissions are sent twice where so much is lost and a round trip takes this long; where there are no repair
    /// packets, from `lossOfParity` on.
    static let lossOfDoubling = 0.07
    static let roundTripOfDoubling = Duration.milliseconds(35)
    /// So are they where packets get lost several in a row, as on radio links: what is sent again is then lost again far
    /// more often than the mean loss says. Single losses of one packet in ten make runs of 1.1.
    static let lengthOfBurst = 2.0
    static let longestRun = 8.0
    /// Not where several rounds take no longer than a picture lasts.
    static let roundTripOfCopies = Duration.milliseconds(15)
    /// Between a packet that is sent again and its copy, there: as long as some pictures' packets take.
    static let copyDistance = Duration.milliseconds(12)
    /// Bytes, three packets: on a narrow link too.
    static let leastCopied = 3_600
    /// What got lost a second time goes out with so many copies: few packets do, and it is the third round that is seen.
    static let copiesOfRepeated = 2
    /// Packets are missed and asked for within some 10 ms, as a rule; what takes so much longer than a round trip has no
    /// time left for a second one.
    static let lateRequest = Duration.milliseconds(20)
    /// Below this packets leave one by one, and a copy takes 30 ms.
    static let paceOfCopies = 300_000
    /// Above what jitter makes of a wait.
    static let queueOfRepair = Duration.milliseconds(40)
    /// What is sent later waits until round trips are nearly what they were.
    static let queueOfOwed = Duration.milliseconds(150)
    /// Nor does a queue that is full take what it had no room for: more than so many before any queue, or anything before so
    /// long a one, waits until that has gone, or others seem to fill it.
    static let answeredIntoQueue = 8
    static let longestOwed = Duration.seconds(2)
    static let queueOfFull = Duration.milliseconds(250)
    /// Between two of them where no pictures follow.
    static let owedInterval = Duration.milliseconds(8)
    /// And where there is a queue, or no budget; pictures that follow are no further apart.
    static let owedPause = Duration.milliseconds(100)
    /// aiortc takes what is a hundred packets behind for a new stream (its MAX_MISORDER).
    static let packetsOfRepetition: UInt16 = 95
    /// aiortc waits behind a hole for 512 packets; from twice that on it surely begins anew.
    static let leap: Int64 = 1024
    /// Until reports tell theirs.
    static let roundTripOfOwed = Duration.milliseconds(200)
    /// As many as aiortc asks for at a time.
    static let packetsOwed = 128
    /// Repair packets likewise; where pictures wait in a queue, more packets would only lengthen that.
    static let lossOfParity = 0.012
    static let queueOfParity = Duration.milliseconds(50)
    static let mostParity = 0.3
    static let parityPerLoss = 1.65
    /// Where more than this is lost, each picture is to have one more: without them more than half would wait for a round
    /// trip.
    static let heavyLoss = 0.06
    static let parityPerHeavyLoss = 12.0
    static let mostParityPerLoss = 2.1
    /// After so long without any, none are waited for.
    static let parityMemory = Duration.seconds(2)
    /// Behind the last packet of a picture its repair packets come; where that is lost, this long is waited.
    static let parityPatience = Duration.milliseconds(12)
    /// What a viewer has given up is not sent to the end where that takes longer than this.
    static let longWait = Duration.milliseconds(300)
    /// A request that comes so soon after a keyframe may be older than it, and its losses are repaired.
    static let graceOfKeyframe = Duration.seconds(1)
    /// And one that left before it could be judged by certainly is: a round trip, and this for who decodes.
    static let timeToJudge = Duration.milliseconds(100)
    /// GStreamer asks within 10 ms of the first packet, and 0.6 s later where processors are busy.
    static let timeOfReflex = Duration.milliseconds(900)
    /// Nothing passed for longer than this: pictures begin anew.
    static let lostInSilence = Duration.milliseconds(400)
    /// What leaves at once: 16 packets, more than a frame of typing or scrolling.
    static let burstBytes = 20_000
    /// A burst takes no longer than this part of a second at the pacing rate.
    static let burstsPerSecond = 130
    /// RTCP reports: one a second, as browsers do (RFC 3550 § 6.2 gives 5 % of the bandwidth, far more).
    static let reportInterval = Duration.seconds(1)
    /// abs-capture-time: at least once a second, as its draft asks for; nine bytes of each packet otherwise.
    static let captureTimeInterval = Duration.seconds(1)
    /// And where it is no longer what was told: so many pictures or packets of sound in a row, by more than a quarter of
    /// what sound and pictures may be apart, but not all the time.
    static let unitsOff: UInt = 3
    static let clockTolerance = Duration.milliseconds(5)
    static let clockInterval = Duration.milliseconds(200)
    /// A keyframe and what followed serve joiners as long as that costs little more than a new keyframe; 60 pictures are
    /// two seconds to decode at the source's rate, and a fraction of one in fact.
    static let cachedDeltas = 60
    /// And where they cross in this time.
    static let cacheTime = 0.4
    /// What costs more than a keyframe, but not more than so many, serves who begins beside others, if it crosses in this
    /// time, in which a joiner is to have a picture, and has caught up with them after that: as long as it might have to
    /// wait for a keyframe. In seconds.
    static let cachedKeyframes = 4
    static let cacheTimeBeside = 0.5
    static let catchUpTime = 1.0
    /// The same viewer is served so no more often than it would get keyframes, on average,
    static let cacheInterval = Duration.seconds(1)
    /// and the second time after a pause: what it asked for before it had looked at what came is no reason to hurry.
    static let cachePause = Duration.milliseconds(300)
    /// New keyframes at one viewer's wish: so many at once, then one in this time.
    static let keyframesAtOnce = 4
    static let secondsPerKeyframe = 3
    static let keyframeCost = 3000
    /// A keyframe that was asked for comes after a second at most; else it is asked for again.
    static let keyframePatience = Duration.seconds(2)
    /// A request for packets is sent so often again, each time after this long: one that gets lost costs a round trip.
    static let requestCopies = 2
    static let requestCopiesForOthers = 1
    /// And one of what was asked for before, whose answer is overdue: the way back may be in a burst of losses, which ends
    /// the sooner the more is sent.
    static let copiesOfRepeatedRequest = 6
    static let requestCopyTime = Duration.milliseconds(8)
    /// Where packets get lost in a row requests are so far apart, or as many are sent in the time of an answer.
    static let volleyInterval = Duration.microseconds(2500)
    static let requestsPerAnswer = 20
    /// A twentieth of what comes, as RTCP is meant to take (RFC 3550 § 6.2), saved up for forty requests; with the headers
    /// around one.
    static let volleyShare = 20
    static let volleyBytes = 4000
    static let requestOverhead = 80
    /// Keyframe requests that a viewer sends: again after this long without an answer.
    static let keyframeRequestInterval = Duration.milliseconds(300)
    /// The round trip before one was measured: a fast one, so that the first repairs are not held back.
    static let assumedRoundTrip = Duration.milliseconds(20)
    /// Nothing from the peer for this long, where a picture or a report of one comes each second, or sooner where more
    /// came of late: its pair is checked, again after each interval, later after two, until ICE's own time for silence has
    /// come. Who reports every five seconds only is asked 14 times in between, one and a half kilobytes.
    static let quietTime = Duration.milliseconds(1200)
    static let leastQuietTime = Duration.milliseconds(300)
    static let quietInterval = Duration.milliseconds(200)
    static let hastyChecks = 10
    static let quietChecks = 25
    /// How long a gap may wait for its repair before the picture goes on without, at least.
    static let repairTime = Duration.milliseconds(500)
    /// Where that is not enough for two rounds, and what they take beyond the usual: a keyframe would not come sooner.
    static let repairRounds = 2.5
    static let longestRepairTime = Duration.seconds(2)
    /// A stream's packet is not this late (RFC 3550 § A.1 has 100): two seconds of 250 packets. Another stream's come by
    /// themselves for so long, a few numbers apart.
    static let latestPacket = 512
    static let largestNumberStep: Int16 = 64
    static let timeOfAnother = Duration.seconds(1)
    /// No peer tells of more packets at a time.
    static let packetsBetweenReports = 10_000
    /// Packets of sound that wait for the event loop, and for their reader: a fifth of a second.
    static let queuedAudio = 10
    /// Pictures in a row that tell a new playout delay.
    static let playoutDelayUnits = 10
    /// Bytes around a packet of sound: IP, UDP, RTP, extensions, tag.
    static let audioHeaders = 70.0
    /// A loss of sound that is off from what was told by more than this is told anew: in-band FEC is tuned by it.
    static let lossChange = 0.03
    static let receivedAudio = 64
    /// Handshake datagrams held back until ICE has a pair.
    static let earlyHandshakeDatagrams = 8
    /// Room kept beside a payload, so that a packet is allocated once: header and extensions (64), and what libsrtp may
    /// write behind it (148).
    static let packetOverhead = 224
}
