import Datagrams
import Glibc
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

private func number(_ name: String, or usual: UInt64) -> UInt64 {
    getenv(name).flatMap { UInt64(String(cString: $0)) } ?? usual
}

@Suite("Simulation")
struct SimulationTests {
    /// Each one's weather follows from it. `make simulation` runs 10,000; fewer under the sanitizers, where each takes
    /// a second, and those that failed once. `SIMULATION_SEED=7` runs that one alone.
    static let seeds = getenv("SIMULATION_SEED") == nil
        ? Set(1...number("SIMULATION_SEEDS", or: 500)).union([929, 2693, 4101, 9477]).sorted()
        : [number("SIMULATION_SEED", or: 1)]

    /// Loss to 30 %, single or in bursts, reordering, duplicates, narrow links, which are filled, marks of congestion treated
    /// well or badly.
    private func weather(_ seed: UInt64, _ random: inout SeededGenerator) -> LinkConditions {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(Int64(random.next() % 120))
        conditions.jitter = .milliseconds(Int64(random.next() % 40))
        conditions.loss = random.unit() * 0.3
        conditions.lossLength = seed % 2 == 0 ? 1 : 1 + random.unit() * 9
        conditions.duplication = random.unit() * 0.05
        if seed % 5 == 0 { conditions.rate = 1_000_000 + Int(random.next() % 7_000_000) }
        conditions.marking = [.above(.milliseconds(10)), .none, .wiped, .lost, .all, .above(.zero)][Int(seed / 2 % 6)]
        return conditions
    }

    @Test("whatever the network does, the share ends playing, and no keyframe comes without a reason", arguments: seeds)
    func endsPlaying(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let events = seed % 8
        var conditions = weather(seed, &random)
        // Consent lasts for 30 s from the last answer (RFC 7675 § 5.1): a blackout of 25 leaves hardly room for more.
        if events == 0 { (conditions.loss, conditions.lossLength) = (min(conditions.loss, 0.03), 1) }
        let feedback: PathFeedback = seed % 3 == 0 ? .perStream : .transportWide
        let ecn: ECN? = seed % 2 == 0 ? nil : seed % 9 == 0 ? .capable1 : .capable0
        var share = Share(PeerPair(seed: seed, conditions: conditions, feedback: feedback, ecn: ecn))
        share.followsPath = conditions.rate != nil
        share.run(for: .seconds(events == 0 ? 2 : 4), unitSize: 2500)
        if events == 0 || events == 3 {
            let length = Duration.seconds(events == 0 ? 25 : Int64(1 + random.next() % 10))
            share.pair.link.conditions.blackouts = [share.pair.now..<(share.pair.now + length)]
            share.run(for: length, unitSize: 2500)
        }
        if events == 1 { share.pair.sleepSharer(for: .seconds(Int64(1 + random.next() % 20))) }
        if events == 2 { share.pair.sleepViewer(for: .seconds(Int64(1 + random.next() % 20))) }
        if seed % 4 == 0 { share.pair.viewerMapping = PeerPair.address(77, port: UInt16(6000 + seed % 50_000)) }
        share.run(for: .seconds([1, 2].contains(events) ? 22 : 4), unitSize: 2500)
        // The weather clears; what was broken must mend.
        share.pair.link.conditions = LinkConditions()
        let keyframes = share.keyframes
        share.run(for: .seconds(6), unitSize: 2500)
        let areConnected = share.pair.bothAreConnected
        #expect(areConnected)
        #expect(share.recent >= 25, "\(share.recent) units in the last second")
        let mending = share.keyframes - keyframes
        #expect(mending <= 2, "\(mending) keyframes once nothing was lost any more; \(conditions)")
        expectReasons(share, outages: (events <= 3 ? 1 : 0) + (seed % 4 == 0 ? 1 : 0), conditions)
        let statistics = share.pair.sharer.statistics.outgoing
        let (repaired, sent) = (statistics?.bytesRepaired ?? 0, statistics?.bytesSent ?? 0)
        if events > 3 { #expect(repaired * 2 <= sent, "\(repaired) of \(sent) bytes were repairs") }
    }

    /// The beginning is one, an outage, and what is given up: packets that the viewer did not get in time, pictures that it
    /// could not decode, and those that the sharer had no room for. Each may cost two, for who asks when the keyframe has
    /// just left gets another where nobody else pays for it.
    private func expectReasons(_ share: borrowing Share, outages: Int, _ conditions: LinkConditions) {
        let (viewer, sharer) = (share.pair.viewer.statistics.incoming, share.pair.sharer.statistics.outgoing)
        let (lost, skipped) = (viewer?.packetsLost ?? 0, viewer?.unitsSkipped ?? 0)
        let (dropped, requests) = (sharer?.unitsDropped ?? 0, sharer?.keyframeRequests ?? 0)
        let (keyframes, served) = (share.keyframes, share.timesServed)
        #expect(
            keyframes <= 2 * (1 + outages + lost + skipped + dropped),
            """
            \(keyframes) keyframes, and \(served) times from the cache, for \(requests) requests; \(outages) outages, \(lost) \
            packets given up, \(skipped) pictures skipped, \(dropped) dropped; \(conditions)
            """)
    }
}

@Suite("Days on end")
struct LongRunTests {
    /// `make simulation` runs 30 days; every counter wraps in that time, many times.
    static let hours = number("VIRTUAL_HOURS", or: 2)

    @Test(
        "numbers of 16 bits, timestamps of 32 and the NTP era wrap, of pictures, repairs and sound, and nobody notices",
        .timeLimit(.minutes(10)))
    func wraps() {
        var days = Days(hours: Self.hours)
        for _ in 0..<Self.hours * 3600 { days.second() }
        days.end()
        let (sent, pictures, sounds) = (days.sent, days.pictures, days.sounds)
        let (wrong, misdated) = (days.wrong, days.misdated)
        // Where a report gets lost, and what is sent to find out too, that may be taken for an outage: once in a month or so.
        let outages = days.keyframes - 1
        #expect((0...Int(Self.hours / 240)).contains(outages), "but at the beginning, hardly anybody needs a keyframe")
        #expect(sent - pictures <= 2 * outages, "\(pictures) pictures of \(sent)")
        #expect(wrong <= 2 * outages, "\(wrong) with a number or a time that does not follow")
        #expect(misdated == 0, "units with a wrong moment of capture")
        // Nobody sends it again.
        #expect(Double(sounds) > Double(sent) * (1 - Days.loss * 2), "\(sounds) packets of sound of \(sent)")
        let again = days.pair.sharer.statistics.outgoing?.retransmissions ?? 0
        #expect(again > (Self.hours < 720 ? 0 : 1 << 16), "\(again) packets were sent again")
        let areConnected = days.pair.bothAreConnected
        #expect(areConnected)
    }
}

/// A picture of ten packets and one packet of sound each second, over a path that loses few: sequence numbers of pictures
/// wrap every two hours, those of sound every 18, of what is sent again every 25 days; timestamps every 13 and 25 hours.
private struct Days: ~Copyable {
    /// More, and a picture might not be mended in time; less, and what is sent again would not wrap in 30 days.
    static let loss = 0.003

    var pair: PeerPair
    private var video = SyntheticVideo()
    private let begun: NTPTimestamp
    private var eventsSeen = 0
    private(set) var sent = 0
    private(set) var keyframes = 0
    private(set) var pictures = 0
    private(set) var sounds = 0
    /// Pictures that are not a second behind the one before, and sound whose number or time is not that of its second.
    private(set) var wrong = 0
    private(set) var misdated = 0
    private var firstPicture: Int64?
    private var lastPicture: Int64?
    private var firstSound: (number: Int64, timestamp: Int64)?

    init(hours: UInt64) {
        // The NTP era ends on 7 February 2036, half way through the run (RFC 5905 § 6).
        let eraEnd: Int64 = 2_085_978_496
        let start = NTPTimestamp(unixNanoseconds: (eraEnd - Int64(hours) * 1800) * 1_000_000_000)
        var conditions = LinkConditions()
        conditions.loss = Self.loss
        let sound = AudioSendParameters(
            payloadType: 111, redundancyPayloadType: nil, ssrc: 0xEEEE, canonicalName: "sharer", mid: "1",
            extensions: PeerPair.extensions)
        var pair = PeerPair(seed: 42, conditions: conditions, ecn: .capable0, sound: sound, wallClock: start)
        pair.keepsAll = false
        let before = pair.now
        pair.run(for: .seconds(2))
        begun = start.advanced(by: pair.now - before)
        self.pair = pair
    }

    mutating func second() {
        let (captured, second) = (pair.now, Int64(sent))
        let (received, heard) = (pair.unitsReceived, pair.packetsHeard)
        let isKeyframe = takeWish()
        keyframes += isKeyframe ? 1 : 0
        pair.send(video.next(keyframe: isKeyframe, size: 11_000, capturedAt: captured, ticks: second * 90_000))
        // Behind what says how it is coded (RFC 6716 § 3.1).
        var bytes: [UInt8] = [0xf8]
        bytes.append(u32: UInt32(truncatingIfNeeded: second))
        let encoding = AudioUnit.Encoding(bytes: bytes, isSilent: false)
        pair.send(AudioUnit(.init(full: encoding), time: AudioTime(ticks: second * 48_000), capturedAt: captured))
        sent += 1
        pair.run(for: .seconds(1))
        for unit in pair.received.suffix(pair.unitsReceived - received) { check(unit) }
        for packet in pair.heard.suffix(pair.packetsHeard - heard) { check(packet) }
    }

    /// The last picture comes whole.
    mutating func end() {
        pair.link.conditions.loss = 0
        second()
        second()
    }

    private mutating func takeWish() -> Bool {
        let news = pair.sharerEvents.dropFirst(eventsSeen)
        eventsSeen = pair.sharerEvents.count
        return news.contains { event in
            switch event {
            case .keyframeNeeded, .keyframeAskedEarly: true
            default: false
            }
        }
    }

    private mutating func check(_ unit: ReceivedUnit) {
        let ticks = unit.mediaTime.ticks
        let first = firstPicture ?? ticks
        if let lastPicture, ticks - lastPicture != 90_000 { wrong += 1 }
        (firstPicture, lastPicture) = (first, ticks)
        pictures += 1
        check(unit.capturedAt, second: (ticks - first) / 90_000)
    }

    private mutating func check(_ packet: ReceivedAudio) {
        guard let second = SoundShare.number(packet.bytes).map({ Int64($0) }) else { return wrong += 1 }
        let (number, timestamp) = (packet.sequenceNumber - second, packet.timestamp - second * 48_000)
        let first = firstSound ?? (number, timestamp)
        firstSound = first
        if first != (number, timestamp) { wrong += 1 }
        sounds += 1
        check(packet.capturedAt, second: second)
    }

    /// Once a report has come.
    private mutating func check(_ captured: NTPTimestamp?, second: Int64) {
        guard second > 5 else { return }
        let error = captured?.duration(since: begun.advanced(by: .seconds(second)))
        if error.map({ abs($0.inMilliseconds) > 2 }) ?? true { misdated += 1 }
    }
}
