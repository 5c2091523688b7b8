import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Feedback stream by stream")
struct StreamFeedbackTests {
    @Test("a link that becomes narrow is followed, whatever the kind of feedback",
        arguments: [PathFeedback.transportWide, .perStream])
    func narrowLink(feedback: PathFeedback) {
        var conditions = LinkConditions()
        conditions.rate = 8_000_000
        var share = Share(PeerPair(seed: 12, conditions: conditions, feedback: feedback))
        share.run(for: .seconds(10), unitSize: 6000)
        let wide = share.pair.sharer.statistics.path?.capacity ?? 0
        #expect(wide > 5_000_000, "\(wide)")
        share.pair.link.conditions.rate = 2_000_000
        share.run(for: .seconds(8), unitSize: 6000)
        let path = share.pair.sharer.statistics.path
        let narrow = path?.capacity ?? 0
        #expect(narrow > 1_500_000 && narrow < 2_400_000, "\(narrow)")
        #expect(path?.queueDelay ?? .seconds(9) < .milliseconds(60))
        #expect(share.recent >= 25)
        share.pair.link.conditions.rate = 8_000_000
        share.run(for: .seconds(10), unitSize: 6000)
        let again = share.pair.sharer.statistics.path?.capacity ?? 0
        #expect(again > 4_000_000, "\(again)")
    }

    @Test("losses are seen as they are, among pictures, what is sent again, repair packets and sound",
        arguments: [PathFeedback.transportWide, .perStream])
    func losses(feedback: PathFeedback) {
        var conditions = LinkConditions()
        conditions.loss = 0.05
        conditions.delay = .milliseconds(25)
        var share = Share(PeerPair(seed: 4, conditions: conditions, feedback: feedback, sound: Self.sound))
        var seen: [Double] = []
        for second in 0..<30 {
            share.run(for: .seconds(1))
            if second > 4 { seen.append(share.pair.sharer.statistics.path?.loss ?? 0) }
        }
        let mean = seen.reduce(0, +) / Double(seen.count)
        #expect(mean > 0.03 && mean < 0.07, "\(mean)")
        #expect(share.pair.sharer.statistics.outgoing?.retransmissions ?? 0 > 20)
        #expect(share.recent >= 25)
    }

    @Test("no packet carries a number or a time for it, and all streams are told of")
    func streams() throws {
        var share = SoundShare(seed: 6, loss: 0.02, feedback: .perStream)
        share.run(packets: 200)
        let packets = share.pair.sharerDatagrams.filter { $0.read(DatagramKind.init) == .rtp }
        #expect(packets.count >= 200)
        for datagram in packets {
            let extensions = datagram.read { span -> HeaderExtensions? in
                guard let packet = try? RTPPacket(span), let block = packet.extensionBlock else { return nil }
                return try? HeaderExtensions(span, block, map: PeerPair.extensions)
            }
            let found = try #require(extensions)
            #expect(found.mid == "1" && found.transportSequenceNumber == nil && found.absoluteSendTime == nil)
        }
        let capacity = share.pair.sharer.statistics.path?.capacity
        #expect(capacity != nil && share.pair.sharer.path.mayLeave(at: share.pair.now) == share.pair.now)
    }

    @Test("the report's time wraps after 18 hours, and nobody notices")
    func timeWraps() {
        // The middle 32 bits come round five seconds after the start.
        let start = NTPTimestamp(bits: 0xea00_fffb_0000_0000)
        var conditions = LinkConditions()
        conditions.rate = 3_000_000
        var share = Share(
            PeerPair(seed: 3, conditions: conditions, feedback: .perStream, wallClock: start))
        share.run(for: .seconds(4), unitSize: 3000)
        let before = share.pair.sharer.statistics.path?.capacity ?? 0
        for _ in 0..<8 {
            share.run(for: .milliseconds(500), unitSize: 3000)
            let path = share.pair.sharer.statistics.path
            #expect(path?.queueDelay ?? .seconds(9) < .milliseconds(30))
            #expect((before / 2..<before * 2).contains(path?.capacity ?? 0))
        }
        #expect(share.keyframes == 1)
    }

    private static let sound = AudioSendParameters(
        payloadType: 111, redundancyPayloadType: nil, ssrc: 0xEEEE, canonicalName: "sharer", mid: "1",
        extensions: PeerPair.extensions(.perStream))
}

/// What leaves a sharer and what is told of it, without a peer.
@Suite("A path known stream by stream")
struct StreamPathTests {
    private var path: PathControl
    private var recorder = CongestionFeedbackRecorder()
    private var now = Instant(nanoseconds: 5_000_000_000)
    private var random = SeededGenerator(seed: 1)
    /// A second before it wraps.
    private var clock = NTPTimestamp(bits: 0x1234_ffff_0000_0000)

    init() { path = Self.path(.perStream, at: now) }

    private static func path(_ feedback: PathFeedback, at now: Instant) -> PathControl {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 1)
        return PathControl(
            SendParameters(
                payloadType: 102, ssrc: 1, retransmission: nil, canonicalName: "", mid: nil,
                extensions: PeerPair.extensions(feedback), bitsPerSecond: 4_000_000,
                givesTransportFeedback: feedback == .transportWide,
                givesCongestionFeedback: feedback == .perStream),
            random: &random, at: now)
    }

    private static func packet(_ ssrc: UInt32, _ sequenceNumber: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: false, payloadType: 102, sequenceNumber: sequenceNumber, timestamp: 0, ssrc: ssrc)
            .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        return bytes + [UInt8](repeating: 0, count: 1000)
    }

    /// A packet leaves and, unless lost, comes so much later.
    private mutating func send(
        _ ssrc: UInt32, _ sequenceNumber: UInt16, isLost: Bool = false, delay: Duration = .milliseconds(20),
        pause: Duration = .milliseconds(2)
    ) {
        path.sent(Self.packet(ssrc, sequenceNumber), .video, at: now)
        if !isLost { recorder.receive(ssrc: ssrc, sequenceNumber: sequenceNumber, at: now + delay) }
        pass(pause)
    }

    private mutating func pass(_ time: Duration) {
        now += time
        clock = clock.advanced(by: time)
    }

    private mutating func report(after pause: Duration = .milliseconds(30)) {
        pass(pause)
        for feedback in recorder.makeFeedback(senderSSRC: 9, ntp: clock, at: now) {
            _ = path.receive(feedback, at: now)
        }
    }

    /// Nil where nothing is under way that feedback is waited for.
    private var deadline: Instant? { path.deadline }

    @Test("until feedback comes, sound is not taken for pictures: a queue that others fill beside it costs nothing")
    mutating func soundBesideOthers() {
        for number in 0..<1000 as Range<UInt16> {
            path.sent(Array(Self.packet(1, number).prefix(280)), .audio, at: now)
            if number % 10 == 0 { path.measured(roundTrip: .milliseconds(number < 200 ? 20 : 420), at: now) }
            #expect(path.target > 2_000_000)
            pass(.milliseconds(20))
        }
    }

    @Test("packets of all streams are known, whatever their order and where their numbers wrap")
    mutating func allStreams() {
        var next: [UInt32: UInt16] = [1: 65_000, 2: 0xfffe, 3: 0, 4: 30_000]
        for _ in 0..<600 {
            for _ in 0..<20 {
                let ssrc = UInt32.random(in: 1...4, using: &random)
                guard let number = next[ssrc] else { continue }
                next[ssrc] = number &+ 1
                send(ssrc, number)
            }
            report()
            #expect(deadline == nil, "all of it was told of")
        }
        #expect(path.statistics.loss == 0 && path.queueDelay < .milliseconds(3))
    }

    @Test("losses of one stream among others are counted")
    mutating func losses() {
        for index in 0..<UInt16(1000) {
            send(1, index, isLost: index % 10 == 0)
            send(2, index)
            if index % 20 == 19 { report() }
        }
        #expect(abs(path.statistics.loss - 0.05) < 0.01, "\(path.statistics.loss)")
    }

    @Test("packets of several streams in turn are one train, from which the link's rate is read")
    mutating func interleaved() {
        for picture in 0..<30 {
            for index in 0..<20 {
                // 1012 bytes and 28 of headers, at 2 Mbit/s.
                let delay = Duration.milliseconds(20) + .microseconds(4160) * index
                send(UInt32(index % 2), UInt16(picture * 10 + index / 2), delay: delay, pause: .zero)
            }
            report(after: .milliseconds(110))
        }
        let capacity = path.statistics.capacity ?? 0
        #expect(capacity > 1_700_000 && capacity < 2_400_000, "\(capacity)")
    }

    @Test("a queue is still one when the report's time has wrapped")
    mutating func queueAcrossWrap() {
        for index in 0..<UInt16(90) {
            let isLater = index >= 50
            send(1, index, delay: .milliseconds(isLater ? 120 : 20), pause: .milliseconds(10))
            guard index % 5 == 4 else { continue }
            report(after: .milliseconds(isLater ? 120 : 30))
            path.advance(to: now)
            if index > 60 { #expect(path.queueDelay > .milliseconds(80), "at packet \(index)") }
        }
    }

    @Test("after a long queue pictures leave no faster than the path takes them, for half a second")
    mutating func patience() {
        var number: UInt16 = 0
        /// Five packets and their report.
        func feed(_ test: inout Self, queue: Duration) {
            for _ in 0..<5 {
                test.send(1, number, delay: .milliseconds(20) + queue, pause: .milliseconds(6))
                number += 1
            }
            test.report(after: queue + .milliseconds(5))
        }
        for _ in 0..<20 { feed(&self, queue: .zero) }
        #expect(path.pacingRate > path.target * 3 / 2, "what shows that the path takes more")
        for _ in 0..<5 { feed(&self, queue: .milliseconds(150)) }
        #expect(path.pacingRate == path.target)
        feed(&self, queue: .zero)
        while path.queueDelay > .milliseconds(30) { feed(&self, queue: .zero) }
        #expect(path.pacingRate == path.target, "what waits here would make the next one")
        for _ in 0..<20 { feed(&self, queue: .zero) }
        #expect(path.pacingRate > path.target * 3 / 2)
    }

    @Test("a peer that says that all was lost counts as silent, and its losses not")
    mutating func nothingArrived() {
        for index in 0..<UInt16(20) { send(1, index) }
        report()
        for step in 0..<40 {
            let first = UInt16(20 + step * 5)
            for offset in 0..<5 { send(1, first + UInt16(offset), isLost: true, pause: .milliseconds(10)) }
            let metrics = [PacketMetric](repeating: .notReceived, count: 5)
            let report = CongestionFeedback.StreamReport(ssrc: 1, firstSequenceNumber: first, metrics: metrics)
            let feedback = CongestionFeedback(senderSSRC: 9, reports: [report], timestamp: clock.middle)
            #expect(path.receive(feedback, at: now) == nil)
            path.advance(to: now)
        }
        #expect(path.isSilent && path.statistics.loss == 0)
    }

    @Test("what never left is not believed")
    mutating func lies() {
        for index in 0..<UInt16(50) { send(1, index) }
        let arrived = [PacketMetric](repeating: PacketMetric(offset: .milliseconds(5)), count: 50)
        let before = path.statistics
        for (ssrc, first, metrics) in [
            (UInt32(77), UInt16(0), arrived), (1, 50, arrived), (1, 40_000, arrived),
            (1, 0, [PacketMetric](repeating: PacketMetric(offset: nil), count: 50)),
        ] {
            let report = CongestionFeedback.StreamReport(ssrc: ssrc, firstSequenceNumber: first, metrics: metrics)
            _ = path.receive(CongestionFeedback(senderSSRC: 9, reports: [report], timestamp: 1), at: now)
        }
        #expect(path.statistics.capacity == before.capacity && path.statistics.loss == 0 && deadline == nil)
        report()
        #expect(path.mayLeave(at: now) == now)
    }

    @Test("a flood is not read: so many feedbacks a second, and no more")
    mutating func flood() {
        for index in 0..<UInt16(50) { send(1, index) }
        report()
        send(1, 50)
        let empty = CongestionFeedback(senderSSRC: 9, reports: [], timestamp: 0)
        for _ in 0..<1000 { _ = path.receive(empty, at: now + .milliseconds(30)) }
        report()
        #expect(deadline != nil, "what is told is not heard")
    }

    @Test("one that tells of a thousand packets counts for several of these")
    mutating func longFlood() {
        for index in 0..<UInt16(50) { send(1, index) }
        report()
        send(1, 50)
        let metrics = [PacketMetric](repeating: .notReceived, count: 1000)
        let report = CongestionFeedback.StreamReport(ssrc: 77, firstSequenceNumber: 0, metrics: metrics)
        for count in 0..<50 {
            let feedback = CongestionFeedback(senderSSRC: 9, reports: count < 40 ? [report] : [], timestamp: 0)
            _ = path.receive(feedback, at: now + .milliseconds(30))
        }
        self.report()
        #expect(deadline != nil, "what is told is not heard")
    }

    @Test("where a path takes more than there may be of pictures, neither what is lost nor sound makes them worse")
    mutating func widePath() {
        let all = Int(4_000_000 * Limits.payloadShare)
        #expect(path.news(audio: 100_000, backlog: 0, at: now)?.bitsPerSecond ?? 0 < all, "nothing is known of it yet")
        for index in 0..<UInt16(3000) {
            send(1, index, isLost: index % 10 == 0, pause: .milliseconds(1))
            if index % 20 == 19 { report(after: .milliseconds(5)) }
        }
        #expect(path.statistics.loss > 0.05 && path.capacity > 5_000_000)
        let state = path.news(audio: 100_000, backlog: 0, at: now)
        #expect(state?.bitsPerSecond == all && state?.isLimited == false)
    }

    @Test("what sound takes is no room for copies of pictures, be it all that there is")
    mutating func soundFirst() {
        let all = path.rateBesideSound
        #expect(all == path.target)
        _ = path.news(audio: 100_000, backlog: 0, at: now)
        #expect(path.rateBesideSound == all - 100_000)
        _ = path.news(audio: all + 1, backlog: 0, at: now)
        #expect(path.rateBesideSound == 0)
    }

    @Test("random reports with absurd times never trap, and no rate leaves its bounds (seed 1)")
    mutating func hostile() {
        for step in 0..<3000 {
            for offset in 0..<4 { send(UInt32(offset % 2), UInt16(truncatingIfNeeded: step * 2 + offset / 2)) }
            pass(.milliseconds(5))
            let reports = (0..<3).map { _ in
                CongestionFeedback.StreamReport(
                    ssrc: .random(in: 0...2, using: &random),
                    firstSequenceNumber: UInt16(truncatingIfNeeded: step * 2 - Int.random(in: 0...30, using: &random)),
                    metrics: (0..<Int.random(in: 0...40, using: &random)).map { _ in
                        PacketMetric(rawValue: .random(in: 0...(.max), using: &random))
                    })
            }
            _ = path.receive(
                CongestionFeedback(
                    senderSSRC: 9, reports: reports, timestamp: .random(in: 0...(.max), using: &random)), at: now)
            path.advance(to: now)
            #expect(path.target > 0 && path.target <= 4_000_000 && path.queueDelay <= .seconds(10))
        }
    }

    @Test("only the kind that was agreed on is taken")
    func kinds() {
        var path = Self.path(.transportWide, at: now)
        for number in 0..<UInt16(20) {
            _ = path.takeNumber(PeerPair.extensions)
            path.sent(Self.packet(1, number), .video, at: now)
        }
        let metrics = [PacketMetric](repeating: PacketMetric(offset: .zero), count: 20)
        _ = path.receive(
            CongestionFeedback(
                senderSSRC: 9, reports: [.init(ssrc: 1, firstSequenceNumber: 0, metrics: metrics)], timestamp: 1),
            at: now)
        #expect(path.deadline == nil, "there was no feedback yet")
    }
}
