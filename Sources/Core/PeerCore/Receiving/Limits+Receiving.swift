import Timebase

/// What a viewer receives, and what it tells of that.
extension Limits {
    // MARK: Feedback

    /// Between two feedback messages, as a rule.
    static let feedbackInterval = Duration.milliseconds(40)
    /// From the first packet that is not told of yet to the feedback on it, at least: others may follow at once.
    static let feedbackPause = Duration.milliseconds(5)
    /// Packets that are told of at once, whenever the last feedback was.
    static let packetsPerFeedback = 40
    /// How long after the first packet feedback is more frequent: a sender knows nothing yet, and a page waits for it.
    static let eagerTime = Duration.seconds(1)
    /// Between two feedback messages in the `eagerTime` after the first packet.
    static let eagerFeedbackInterval = Duration.milliseconds(15)
    /// Between two feedback messages where little comes, as sound alone or a caret, or where there is much room.
    static let quietFeedbackInterval = Duration.milliseconds(70)
    /// Fewer bytes than this are little to tell of: a report is to take a twentieth of what it tells of (RFC 3550 § 6.2).
    static let bytesPerFeedback = 2000

    // MARK: Room on the path

    /// How long pictures' packets take to come is summed over this time.
    static let roomWindow = Duration.milliseconds(40)
    /// Bytes of a packet of pictures, at least.
    static let bytesOfPictures = 600
    /// Where pictures' packets take longer than this of a `roomWindow` to come, there is not much room.
    static let busyTime = Duration.milliseconds(12)
    /// There is much room where nothing has told otherwise for so long, and something has told so in that time.
    static let roomMemory = Duration.seconds(2)

    // MARK: Feedback where packets get lost

    /// Between two feedback messages where packets get lost, for so do these.
    static let lossyFeedbackInterval = Duration.milliseconds(15)
    /// The share lost, averaged, above which feedback is told more often.
    static let lossOfFeedback = 0.01
    /// The weight of one packet in the averaged share lost.
    static let weightOfPacket = 0.01
    /// How long losses are remembered: where few packets come, an average remembers an outage for minutes.
    static let lossMemory = Duration.seconds(5)
    /// How often the last feedback is told again where packets get lost and none follows it.
    static let feedbackRepeats = 8
    /// Before each time that the last feedback is told again where packets get lost.
    static let feedbackRepeatInterval = Duration.milliseconds(15)
    /// What comes behind a pause of this length is counted anew, as what may be under way without feedback.
    static let pauseOfPictures = Duration.milliseconds(80)
    /// After so many times the last feedback is told again more often, where as much has come as may be under way: the
    /// sharer may be waiting for it.
    static let repeatsBetweenPictures = 3
    /// How often the last feedback is told again in all where the sharer may be waiting for it.
    static let repeatsOfStall = 27
    /// Before each time that the last feedback is told again where the sharer may be waiting for it.
    static let stalledRepeatInterval = Duration.milliseconds(5)

    // MARK: Requests

    /// How often a request for packets is sent again to our own sharer: one that gets lost costs a round trip.
    static let requestCopies = 2
    /// How often a request for what was asked for before is sent again to sharers of other makes, which may answer each.
    static let requestCopiesForOthers = 1
    /// How often a request whose answer is overdue is sent again to our own sharer: the way back may be in a burst of
    /// losses, which ends the sooner the more is sent.
    static let copiesOfRepeatedRequest = 6
    /// Between a request and its copy.
    static let requestCopyTime = Duration.milliseconds(8)
    /// Where packets get lost in a row, all that is missing is asked for again after this time, at least.
    static let volleyInterval = Duration.microseconds(2500)
    /// Where packets get lost in a row and answers take long, all that is missing is asked for so often in the time of one.
    static let requestsPerAnswer = 20
    /// One part in so many of the bytes that come may be spent on asking for all that is missing, as RTCP is meant to take a
    /// twentieth (RFC 3550 § 6.2).
    static let volleyShare = 20
    /// Bytes that are saved up for asking for all that is missing: forty requests.
    static let volleyBytes = 4000
    /// Bytes of a request with the headers around it, beside the numbers in it.
    static let requestOverhead = 80
    /// A keyframe is asked for again after this long without an answer, or without more of what has begun to come.
    static let keyframeRequestInterval = Duration.milliseconds(300)

    // MARK: Waiting for repair

    /// How long a gap may wait for its repair before pictures go on without, at least.
    static let repairTime = Duration.milliseconds(500)
    /// A gap may wait for so many times a usual answer where that takes longer than `repairTime`: for two rounds, and what
    /// they take beyond the usual. A keyframe would not come sooner.
    static let repairRounds = 2.5
    /// How long a gap may wait for its repair, at most.
    static let longestRepairTime = Duration.seconds(2)
    /// How long a gap may wait where the sharer sends nothing again: packets that take several ways, as on radio links,
    /// overtake each other by less.
    static let reorderTime = Duration.milliseconds(30)
    /// How long a lost packet is not asked for, as its picture's repair packets may bring it: these come behind the
    /// picture's last, which may be lost.
    static let repairPacketPatience = Duration.milliseconds(12)
    /// After so long without any repair packet none is waited for.
    static let repairPacketMemory = Duration.seconds(2)

    // MARK: Another stream

    /// A stream's packet is not this many numbers late (RFC 3550 § A.1 has 100): two seconds of 250 packets.
    static let latestPacket = 512
    /// Packets of another stream are no more than so many numbers apart.
    static let largestNumberStep: Int16 = 64
    /// Another stream has come in place of one where nothing else came for so long.
    static let timeOfAnother = Duration.seconds(1)
    /// Likewise where what came could not be opened.
    static let timeOfRefused = Duration.seconds(2)

    // MARK: Sound

    /// Packets of sound that wait for their reader.
    static let receivedAudio = 64
}
