import Datagrams
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

/// Drives a pair the way a share does: 30 units a second, a keyframe when one is asked for, at most one a second.
struct Share: ~Copyable {
    var pair: PeerPair
    private var video = SyntheticVideo()
    private var lastKeyframe: Instant?
    private var eventsSeen = 0
    private(set) var keyframes = 0
    private(set) var unitsSent = 0
    private var wantsKeyframe = false
    /// As a hub does it.
    private var cache = PictureCache()
    private var wish = PictureWish(at: .zero)
    private(set) var timesServed = 0
    /// How long ago pictures were taken when they leave.
    var age = Duration.zero
    /// Else five times the others'.
    var keyframeSize: Int?
    /// Units are as large as the path is said to take, as an encoder makes them; at most 2 Mbit/s.
    var followsPath = false
    private var target = 1_000_000
    private var isCongested = false

    init(_ pair: consuming PeerPair) {
        self.pair = pair
    }

    /// Shares for that long.
    mutating func run(for duration: Duration, unitSize: Int = 6000) {
        let end = pair.now + duration
        while pair.now < end {
            pair.run(for: .nanoseconds(33_333_333))
            noticeRequests()
            let isAllowed = lastKeyframe.map { pair.now - $0 >= .seconds(1) } ?? true
            let keyframe = wantsKeyframe && isAllowed
            if keyframe {
                lastKeyframe = pair.now
                wantsKeyframe = false
                keyframes += 1
            }
            guard pair.sharerIsConnected, !followsPath || !isCongested || keyframe else { continue }
            let unitSize = followsPath ? max(300, min(2_000_000, target) / 240) : unitSize
            let size = keyframe ? keyframeSize ?? unitSize * 5 : unitSize
            let unit = video.next(keyframe: keyframe, size: size, capturedAt: pair.now - age)
            cache.add(unit)
            if keyframe { wish.keyframeMade() }
            if !grant() { pair.send(unit) }
            unitsSent += 1
        }
    }

    /// One more, now.
    mutating func send(size: Int, isRefinement: Bool = false) {
        pair.send(video.next(keyframe: false, size: size, capturedAt: pair.now, isRefinement: isRefinement))
    }

    private mutating func noticeRequests() {
        for event in pair.sharerEvents.dropFirst(eventsSeen) {
            switch event {
            case .keyframeNeeded: wish.ask()
            case .keyframeAskedEarly: wish.ask(early: true)
            default: break
            }
            if case .path(let state) = event { (target, isCongested) = (state.bitsPerSecond, state.isCongested) }
        }
        eventsSeen = pair.sharerEvents.count
        grant()
    }

    @discardableResult
    private mutating func grant() -> Bool {
        switch wish.answer(cacheServes: pair.canBegin(with: cache), isAlone: true, at: pair.now) {
        case .cache:
            pair.begin(with: cache)
            timesServed += 1
            wantsKeyframe = false
            return true
        case .keyframe: wantsKeyframe = true
        case .wait, .nothing: break
        }
        return false
    }

    /// Units that arrived in the last second.
    var recent: Int { pair.received.suffix(40).count { pair.now - $0.receivedAt <= .seconds(1) } }
}

@Suite("Two peers over a simulated link")
struct SharingTests {
    @Test("on a clean link every unit arrives once, in order, byte for byte, from one keyframe")
    func clean() {
        var share = Share(PeerPair(seed: 1))
        share.run(for: .seconds(10))
        share.pair.run(for: .milliseconds(200))
        let received = share.pair.received
        do {
            let isConnected = share.pair.bothAreConnected
            #expect(isConnected)
        }
        #expect(share.keyframes == 1)
        #expect(received.count == share.unitsSent)
        #expect(received.first?.accessUnit.isKeyframe == true)
        let times = received.map(\.mediaTime)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        var twin = SyntheticVideo()
        let areWhole = received.map { unit in
            let isKeyframe = unit.accessUnit.isKeyframe
            _ = twin.next(keyframe: isKeyframe, size: isKeyframe ? 30_000 : 6000, capturedAt: .zero)
            return unit.accessUnit.bytes == twin.newest
        }
        #expect(!areWhole.contains(false))
    }

    @Test("both sides connect within 150 ms of virtual time where the path takes 10 ms")
    func join() {
        var pair = PeerPair(seed: 2)
        pair.run(for: .milliseconds(150))
        do {
            let isConnected = pair.sharerIsConnected
            #expect(isConnected)
        }
        do {
            let isConnected = pair.viewerIsConnected
            #expect(isConnected)
        }
    }

    @Test("nothing that leaves the sharer is unprotected media")
    func protection() {
        var share = Share(PeerPair(seed: 3))
        share.run(for: .seconds(2))
        let kinds = Set(share.pair.sharerDatagrams.map { $0.read(DatagramKind.init) })
        #expect(kinds == [.stun, .handshake, .rtp, .rtcp])
        for datagram in share.pair.sharerDatagrams {
            let kind = datagram.read(DatagramKind.init)
            if kind == .rtp || kind == .rtcp { #expect(datagram.suffix(4).elementsEqual([0x5A, 0xA5, 0x5A, 0xA5])) }
        }
    }

    @Test("loss is repaired by retransmission: pictures arrive without a second keyframe")
    func repair() {
        var conditions = LinkConditions()
        conditions.loss = 0.05
        conditions.delay = .milliseconds(25)
        var share = Share(PeerPair(seed: 4, conditions: conditions))
        share.run(for: .seconds(20))
        share.pair.run(for: .seconds(1))
        #expect(share.pair.link.lost > 100, "the link must have lost something")
        let sent = share.pair.sharer.statistics.outgoing
        #expect((sent?.retransmissions ?? 0) > 50)
        #expect(share.pair.received.count >= share.unitsSent * 98 / 100)
    }

    @Test("where round trips are long, repair packets spare most pictures the wait for one")
    func flexFEC() {
        var conditions = LinkConditions()
        conditions.loss = 0.05
        conditions.delay = .milliseconds(25)
        func late(takesFlexFEC: Bool) -> (late: Int, asked: Int) {
            var share = Share(PeerPair(seed: 9, conditions: conditions, takesFlexFEC: takesFlexFEC))
            share.run(for: .seconds(20), unitSize: 15_000)
            share.pair.run(for: .seconds(1))
            let delays = share.pair.received.dropFirst(90).map { $0.receivedAt - Instant(nanoseconds: $0.mediaTime.ticks * 1_000_000 / 90) }
            let least = delays.min() ?? .zero
            return (delays.count { $0 - least > .milliseconds(40) }, share.pair.viewer.statistics.incoming?.packetsRequested ?? 0)
        }
        let (with, without) = (late(takesFlexFEC: true), late(takesFlexFEC: false))
        #expect(with.late * 2 < without.late, "\(with.late) late pictures against \(without.late)")
        #expect(with.asked * 10 < without.asked * 8, "\(with.asked) packets asked for against \(without.asked)")
    }

    @Test(
        "where a path falls to a twentieth, what the viewer has given up is not sent any more (seeds 1 to 4)",
        arguments: 1...4)
    func abandoned(seed: Int) throws {
        var conditions = LinkConditions()
        conditions.rate = 8_000_000
        var share = Share(PeerPair(seed: UInt64(seed), conditions: conditions))
        share.keyframeSize = 6000
        share.run(for: .seconds(5), unitSize: 16_000)
        #expect(share.recent >= 25)
        share.pair.link.conditions.rate = 200_000
        let fallen = share.pair.now
        share.run(for: .milliseconds(300), unitSize: 16_000)
        share.run(for: .seconds(5), unitSize: 300)
        let back = try #require(share.pair.received.first { $0.receivedAt > fallen + .seconds(1) })
        #expect(back.receivedAt - fallen < .milliseconds(2500), "\(back.receivedAt - fallen)")
        #expect(share.recent >= 20)
    }

    @Test("without RTX a lost picture is skipped, counted, and mended by a keyframe")
    func withoutRetransmission() {
        var conditions = LinkConditions()
        conditions.loss = 0.01
        var longest: [Duration] = []
        for seed in 1...7 as ClosedRange<UInt64> {
            var share = Share(PeerPair(seed: seed, conditions: conditions, retransmission: false))
            share.run(for: .seconds(20))
            #expect((share.pair.viewer.statistics.incoming?.unitsSkipped ?? 0) > 0)
            #expect(share.keyframes > 1)
            #expect(share.keyframes <= 21, "at most one a second")
            let shown = share.pair.received.map(\.receivedAt) + [share.pair.now]
            longest.append(zip(shown, shown.dropFirst()).map { $1 - $0 }.max() ?? .seconds(20))
        }
        // A keyframe may have to wait for its second, and one in five is damaged itself: several in a row now and then.
        #expect(longest.sorted()[3] < .milliseconds(2500), "\(longest)")
    }

    @Test("a blackout of 10 s ends playing")
    func blackout() {
        var conditions = LinkConditions()
        let start = Instant(nanoseconds: 1_000_000_000) + .seconds(5)
        conditions.blackouts = [start..<(start + .seconds(10))]
        var share = Share(PeerPair(seed: 6, conditions: conditions))
        share.run(for: .seconds(20))
        do {
            let isConnected = share.pair.sharerIsConnected
            #expect(isConnected)
        }
        #expect(share.recent >= 25)
    }

    @Test("silence of more than 30 s ends the peer: consent is gone (RFC 7675)")
    func consent() {
        var conditions = LinkConditions()
        let start = Instant(nanoseconds: 1_000_000_000) + .seconds(5)
        conditions.blackouts = [start..<(start + .seconds(60))]
        var share = Share(PeerPair(seed: 7, conditions: conditions))
        share.run(for: .seconds(50))
        do {
            let isConnected = share.pair.sharerIsConnected
            #expect(!isConnected)
        }
        do {
            let isConnected = share.pair.viewerIsConnected
            #expect(!isConnected)
        }
    }

    @Test("a viewer that asks for an ICE restart and is never heard again is ended, and keeps no place")
    func vanishedInRestart() {
        var conditions = LinkConditions()
        let start = Instant(nanoseconds: 1_000_000_000) + .seconds(5)
        conditions.blackouts = [start..<(start + .seconds(600))]
        var share = Share(PeerPair(seed: 9, conditions: conditions))
        share.run(for: .seconds(5))
        share.pair.restartAtSharer()
        share.run(for: .seconds(65))
        let wasEnded = share.pair.sharerEvents.contains {
            if case .disconnected(.consentExpired) = $0 { true } else { false }
        }
        #expect(wasEnded)
    }

    @Test("a viewer whose address changes goes on being served")
    func addressChange() {
        var share = Share(PeerPair(seed: 8))
        share.run(for: .seconds(5))
        share.pair.viewerMapping = PeerPair.address(99, port: 7000)
        share.run(for: .seconds(15))
        do {
            let isConnected = share.pair.sharerIsConnected
            #expect(isConnected)
        }
        #expect(share.recent >= 25)
    }

    @Test("a viewer whose address changes has pictures again within 3 s, also where every fifth packet is lost", arguments: 1...12)
    func rebinding(seed: UInt64) {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(25)
        conditions.loss = seed % 2 == 0 ? 0.2 : 0
        var share = Share(PeerPair(seed: seed, conditions: conditions))
        share.run(for: .seconds(5))
        share.pair.viewerMapping = PeerPair.address(99, port: 7000)
        let (moved, seen) = (share.pair.now, share.pair.received.count)
        share.run(for: .seconds(3), unitSize: 2500)
        let back = share.pair.received.dropFirst(seen).first { $0.receivedAt > moved + .milliseconds(200) }
        #expect(back != nil)
    }

    @Test("BYE ends the other side at once")
    func goodbye() {
        var share = Share(PeerPair(seed: 9))
        share.run(for: .seconds(2))
        share.pair.viewer.close(at: share.pair.now)
        share.pair.drain()
        share.pair.run(for: .milliseconds(100))
        do {
            let isConnected = share.pair.sharerIsConnected
            #expect(!isConnected)
        }
    }

    @Test("BYE of sound alone, or of nobody, ends no pictures; of the pictures, it does")
    func otherGoodbyes() {
        var share = Share(PeerPair(seed: 9))
        share.run(for: .seconds(2))
        var ends: [Bool] = []
        let lists: [[UInt32]] = [[], [0xEEEE], [0xEEEE, 0xAAAA]]
        for (index, ssrcs) in lists.enumerated() {
            var bytes: [UInt8] = []
            Goodbye(ssrcs: ssrcs).append(to: &bytes)
            share.pair.receiveAtViewer(rtcp: bytes, number: UInt32(index))
            let isConnected = share.pair.viewerIsConnected
            ends.append(!isConnected)
        }
        #expect(ends == [false, false, true])
    }

    @Test("what stands behind BYE counts for nothing: no keyframe is made for who is gone")
    func behindGoodbye() throws {
        var share = Share(PeerPair(seed: 9))
        share.run(for: .seconds(2))
        var bytes: [UInt8] = []
        ReceiverReport(ssrc: 0xCCCC, reports: []).append(to: &bytes)
        Goodbye(ssrcs: [0xCCCC]).append(to: &bytes)
        PictureLossIndication(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA).append(to: &bytes)
        share.pair.receiveAtSharer(rtcp: bytes, number: 0)
        let last = try #require(share.pair.sharerEvents.last)
        guard case .disconnected = last else {
            Issue.record("\(last)")
            return
        }
    }

    @Test("where feedback by itself was not agreed to, each datagram of it begins with a report", arguments: [true, false])
    func reducedSize(isAgreed: Bool) {
        var conditions = LinkConditions()
        conditions.loss = 0.1
        var share = Share(PeerPair(seed: 6, conditions: conditions, takesReducedSizeRTCP: isAgreed))
        share.run(for: .seconds(4))
        let sent = share.pair.viewerDatagrams.filter { $0.count > 1 && (200...207).contains($0[1]) && $0[0] >= 128 }
        let types = Set(sent.map { $0[1] })
        #expect(sent.count > 50)
        #expect(types == (isAgreed ? [201, 205] : [201]))
        let retransmissions = share.pair.sharer.statistics.outgoing?.retransmissions ?? 0
        #expect(retransmissions > 5, "and it is understood")
    }

    @Test("an idle path is measured, so that the next page leaves at what it takes by then")
    func idleProbes() {
        var conditions = LinkConditions()
        conditions.rate = 1_500_000
        var share = Share(PeerPair(seed: 11, conditions: conditions))
        share.run(for: .seconds(5), unitSize: 3000)
        let narrow = share.pair.sharer.statistics.path?.capacity ?? 0
        #expect(narrow > 1_000_000 && narrow < 2_000_000, "\(narrow)")
        share.pair.link.conditions.rate = 8_000_000
        let before = share.pair.sharer.statistics.outgoing?.bytesSent ?? 0
        share.pair.run(for: .seconds(20))
        let wide = share.pair.sharer.statistics.path?.capacity ?? 0
        #expect(wide > 5_000_000, "\(wide)")
        let spent = (share.pair.sharer.statistics.outgoing?.bytesSent ?? 0) - before
        #expect(spent > 5000 && spent < 150_000, "\(spent) bytes in 20 s of rest")
        let shown = share.pair.received.count
        share.pair.run(for: .seconds(20))
        #expect(share.pair.received.count == shown, "what only measures is shown to nobody")
        let incoming = share.pair.viewer.statistics.incoming
        #expect(incoming?.packetsRecovered == 0, "and brings nothing back, where nothing is lost")
    }

    @Test(
        "what only sharpens a picture, and leaves slowly, keeps nothing new from being made, however large it is",
        arguments: [true, false], [60_000, 400_000])
    func patience(isRefinement: Bool, size: Int) {
        var share = Share(PeerPair(seed: 12))
        share.run(for: .seconds(8), unitSize: 14_000)
        share.pair.run(for: .milliseconds(300))
        let before = share.pair.sharerEvents.count
        let (begin, shown) = (share.pair.now, share.pair.received.count)
        share.send(size: size, isRefinement: isRefinement)
        share.pair.run(for: .milliseconds(30))
        let isHeldUp = share.pair.sharerEvents[before...].contains { event in
            if case .path(let state) = event { state.isCongested && !state.yields } else { false }
        }
        // The same bytes as a new picture are what the next one would wait behind.
        #expect(isHeldUp == !isRefinement)
        share.send(size: 2000)
        share.pair.run(for: .milliseconds(200))
        let last = share.pair.received.last
        #expect(share.pair.received.count == shown + 2)
        #expect(last.map { $0.receivedAt - begin < .milliseconds(size > 100_000 ? 200 : 110) } == true)
    }
}
