import Timebase

/// Every bound of this target. What exceeds one is dropped or refused; nothing grows with what a peer sends.
package enum Limits {
    // RTCP

    /// RTCP packets read from one datagram. A compound packet has a report, SDES and a few feedback messages; the
    /// shortest packet is 4 bytes, so a hostile datagram of 1500 could hold 375.
    static let packetsPerCompound = 64
    /// Generic NACK entries read from one packet: 253 fit into 1024 bytes, and a sender whose list is full
    /// (`missingPackets`) splits it.
    static let nackEntries = 1000
    /// FIR entries read or written: one for each stream of a session, and few streams there are.
    static let intraRequests = 64
    /// SSRCs read from a REMB (its count field has 8 bits).
    static let bitrateSSRCs = 255
    /// Arrivals reported in one transport-wide feedback packet: each takes two chunks and a large delta (6 bytes) at
    /// worst, so that the packet stays below 1200 bytes.
    static let arrivalsPerFeedback = 180
    /// Streams of one congestion control feedback packet: a session has far fewer.
    package static let streamsPerFeedback = 64
    /// Packets told of in one of its reports: a quarter of the sequence numbers (RFC 8888 § 3.1).
    static let metricsPerStream: UInt16 = 16384
    /// And in one packet that we send: two bytes each, so that with all streams it stays below 1200.
    static let metricsPerFeedback = 512
    /// Streams a receiver tells of: pictures, their retransmissions and repair packets, sound; and as many again.
    package static let recordedStreams = 8
    /// ECN is told of so often where there is no CE; 32 bytes each time.
    static let ecnFeedbackInterval = Duration.seconds(1)
    /// Of each CE, in a row.
    static let urgentECNFeedbacks = 2
    /// Numbers of each remembered for feedback: a second at 48 Mbit/s.
    static let arrivalWindow = 5000
    /// An RTT above this is a lying or stale report (ICE consent has long expired: RFC 7675 § 5.1, 30 s).
    static let longestRoundTrip: Duration = .seconds(30)

    // H.264

    /// With RTP's header and extensions, RTX's two bytes or FlexFEC's header, SRTP's tag, UDP and IPv6 it stays within
    /// 1280 bytes: the least MTU that IPv6 allows (RFC 8200 § 5), and that of many tunnels.
    package static let defaultPayloadSize = 1140
    /// The smallest size the packetizer accepts: a FU-A header and a few bytes.
    static let smallestPayloadSize = 16
    /// NAL units in a STAP-A: Chromium rejects ten and more.
    static let nalUnitsPerAggregate = 9
    /// Bytes of one access unit: an I_PCM 1080p picture has 3.1 MB (ITU-T H.264 § A.3.1 bounds it likewise).
    static let accessUnitBytes = 4 << 20
    /// NAL units of one access unit.
    static let nalUnitsPerAccessUnit = 1024
    /// Access units waiting to be taken from a depacketizer: one packet finishes two at most.
    static let finishedAccessUnits = 4
    /// Bytes of a NAL unit read for its slice header: with weights for 32 references it stays below this.
    static let sliceHeaderBytes = 1024
    /// Reordering commands of one list, or marking operations of one slice: two fields of 16 references, and some.
    static let referenceOperations = 66
    /// Bytes of a sequence parameter set: the largest legal one (two HRDs, all scaling lists) stays below this.
    static let parameterSetBytes = 4096
    /// Bytes of a picture parameter set: slice groups of type 6 take up to three bits for each map unit.
    static let pictureParameterSetBytes = 64 << 10
    /// Of parameter sets that came without a picture and wait for one: the two largest, or all ids as encoders have them.
    static let leadingParameterSetBytes = 2 * pictureParameterSetBytes
    /// `seq_parameter_set_id` 0…31 and `pic_parameter_set_id` 0…255 (ITU-T H.264 § 7.4.2.1.1, § 7.4.2.2).
    static let sequenceParameterSets = 32
    static let pictureParameterSets = 256
    /// √(8 · MaxFS) macroblocks at level 6.2 (ITU-T H.264 § A.3.1).
    static let macroblocksPerSide = 1055
    /// MaxFS at level 6.2 (ITU-T H.264 table A-1).
    package static let macroblocksPerPicture = 139_264

    // Repair

    /// Packets a sender remembers for one viewer: three seconds at 25 Mbit/s, and libwebrtc's own figure.
    static let historyPackets = 9600
    /// Bytes of payload a sender keeps reachable for one viewer (shared with the others).
    static let historyBytes = 8 << 20
    /// Most receivers ask for a keyframe before; aiortc waits for what is missing, and where an outage of three seconds was
    /// there is more of that than it asks for.
    package static let historyAge: Duration = .seconds(5)
    /// Of a viewer that tells what becomes of each packet: an outage is known, and who tells so much asks in time. Where a round
    /// trip takes longer than half of this, two of them.
    package static let historyAgeOfFeedback: Duration = .seconds(3)
    /// Missing sequence numbers a receiver asks for; with more, a keyframe is cheaper (libwebrtc: 1000).
    static let missingPackets = 1000
    /// How often one packet is asked for (libwebrtc: 10).
    static let requestsPerPacket = 10
    /// What an answer may take beyond the usual, and an eighth of that.
    static let answerMargin: Duration = .milliseconds(2)
    /// The shortest time between two requests for the same packet, where the RTT is shorter or not known.
    static let shortestRequestInterval: Duration = .milliseconds(10)
    /// What takes longer to come counts as this.
    static let longestAnswer: Duration = .seconds(2)
    /// Packets that were asked for and given up, kept for what their answers tell.
    static let rememberedRequests = 64
    /// Packets a receiver holds behind a gap.
    static let reorderCapacity = 2048
    /// Source packets a receiver keeps to recover others from (RFC 8627): two pictures of 8 Mbit/s at 30 a second, and more.
    static let sourcePackets = 192
    /// Repair packets that still lack more than one source packet.
    static let unsolvedRepairPackets = 32
    /// Source packets of one group: what a mask of 46 bits holds.
    package static let sourcePacketsOfGroup = 46
}
