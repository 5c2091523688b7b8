import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Viewers who are moved to another lane")
struct MovedViewerTests {
    /// A keyframe and two pictures of these sizes, which cost more than a new keyframe would.
    private func chain(_ keyframe: Int, _ picture: Int) -> PictureCache {
        var cache = PictureCache()
        for (index, bytes) in [keyframe, picture, picture].enumerated() {
            cache.add(
                PacketizedUnit(
                    bytes: [UInt8](repeating: 1, count: bytes), payloads: [0..<bytes],
                    mediaTime: MediaTime(ticks: Int64(index) * 3000), capturedAt: .zero, isKeyframe: index == 0,
                    isReference: true))
        }
        return cache
    }

    @Test("who is moved to pictures that others watch catches up with them, and nobody else gets a keyframe for it")
    func besideOthers() {
        var pair = PeerPair(seed: 6)
        var (before, others) = (SyntheticVideo(), SyntheticVideo())
        var cache = PictureCache()
        pair.run(for: .milliseconds(300))
        for index in 0..<9 {
            pair.send(before.next(keyframe: index == 0, size: 1000, capturedAt: pair.now))
            cache.add(others.next(keyframe: index == 0, size: index == 0 ? 8000 : 4000, capturedAt: pair.now))
            pair.run(for: .milliseconds(33))
        }
        let stays = pair.canBegin(with: cache, isAlone: false)
        #expect(!stays, "who is not moved has what it needs")
        pair.sharer.changeLane()
        do {
            let (alone, beside) = (pair.canBegin(with: cache), pair.canBegin(with: cache, isAlone: false))
            #expect(!alone, "who is alone has a keyframe sooner")
            #expect(beside)
        }
        pair.begin(with: cache, isAlone: false)
        let again = pair.canBegin(with: cache, isAlone: false)
        #expect(!again, "once it has begun it is served as all are")
        pair.run(for: .milliseconds(400))
        for _ in 0..<5 {
            pair.send(others.next(keyframe: false, size: 4000, capturedAt: pair.now))
            pair.run(for: .milliseconds(33))
        }
        let received = pair.received
        let keyframes = received.indices.filter { received[$0].accessUnit.isKeyframe }
        #expect(received.count == 9 + 9 + 5 && keyframes == [0, 9], "and goes on with the others")
        let times = received.map(\.mediaTime.ticks)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("how pictures are to be shown is told anew with the first of another lane")
    func extensions() throws {
        var pair = PeerPair(seed: 6)
        var video = SyntheticVideo()
        pair.run(for: .milliseconds(300))
        pair.send(video.next(keyframe: true, size: 500, capturedAt: pair.now))
        pair.run(for: .milliseconds(50))
        let sent = pair.sharerDatagrams.count
        pair.sharer.changeLane()
        pair.begin(with: chain(500, 400), isAlone: false)
        let first = try #require(pair.sharerDatagrams.dropFirst(sent).first { $0.count > 500 && $0[1] & 0x7f == 102 })
        let told = first.read { span -> HeaderExtensions? in
            guard let packet = try? RTPPacket(span), let block = packet.extensionBlock else { return nil }
            return try? HeaderExtensions(span, block, map: PeerPair.extensions)
        }
        #expect(told?.playoutDelay != nil && told?.videoContentType == .screen && told?.absoluteCaptureTime != nil)
    }

    @Test("who is moved to a slower lane is sent of it what its path takes in half a second, and not more")
    func slower() {
        var conditions = LinkConditions()
        conditions.rate = 1_500_000
        var share = Share(PeerPair(seed: 11, conditions: conditions))
        share.run(for: .seconds(5), unitSize: 3000)
        let capacity = share.pair.sharer.statistics.path?.capacity ?? 0
        #expect(capacity > 1_000_000 && capacity < 2_000_000, "\(capacity)")
        share.pair.sharer.changeLane()
        let short = share.pair.canBegin(with: chain(15_000, 10_000), isAlone: false)
        let long = share.pair.canBegin(with: chain(50_000, 40_000), isAlone: false)
        #expect(short && !long)
    }

    @Test("a path of which only reports tell, as long as the feedback that was agreed on does not come, takes no more than they say")
    func reportsAlone() {
        var pair = PeerPair(seed: 6)
        pair.viewerReportsAt = [.distantFuture]
        var video = SyntheticVideo()
        pair.run(for: .milliseconds(300))
        pair.send(video.next(keyframe: true, size: 3000, capturedAt: pair.now))
        for round in 1...12 as ClosedRange<UInt32> {
            pair.run(for: .seconds(1))
            let block = ReportBlock(
                ssrc: 0xAAAA, fractionLost: 128, cumulativeLost: 0, extendedHighestSequenceNumber: round * 100, jitter: 0,
                lastSenderReport: 0, delaySinceLastSenderReport: 0)
            var bytes: [UInt8] = []
            ReceiverReport(ssrc: 0xCCCC, reports: [block]).append(to: &bytes)
            pair.receiveAtSharer(rtcp: bytes, number: round)
        }
        let target = pair.sharer.statistics.path?.target ?? 0
        #expect(target > 100_000 && target < 300_000, "\(target)")
        pair.sharer.changeLane()
        let short = pair.canBegin(with: chain(2000, 1200), isAlone: false)
        let long = pair.canBegin(with: chain(10_000, 8000), isAlone: false)
        #expect(short && !long)
    }

    @Test("where the lane of before had come to a later moment, what follows is of that one: picture and sound stay together")
    func dated() throws {
        let (start, lone) = (LoneSender.start, LoneSender(bitsPerSecond: 1_000_000))
        var (sender, path) = (lone.sender, lone.path)
        var (before, others) = (SyntheticVideo(), SyntheticVideo())
        var cache = PictureCache()
        cache.add(others.next(keyframe: true, size: 500, capturedAt: start, ticks: 0))
        cache.add(others.next(keyframe: false, size: 600, capturedAt: start + .milliseconds(100), ticks: 9000))
        let now = start + .seconds(1)
        sender.enqueue(before.next(keyframe: true, size: 800, capturedAt: now, ticks: 90_000), at: now)
        while sender.nextPacket(&path, at: now) != nil {}
        sender.changeLane()
        sender.begin(with: cache, at: now)
        while sender.nextPacket(&path, at: now) != nil {}
        let last = try #require(sender.lastSent?.mediaTime.ticks)
        #expect(last == 90_002)
        let zero = try #require(sender.lastSent.map { $0.capturedAt - $0.mediaTime.elapsed })
        #expect((zero - start).magnitude < .milliseconds(1), "the moment of media time zero moved by \(zero - start)")
    }

    @Test("who is moved is served from the cache at once, however lately it was served of the lane before")
    func servedAtOnce() {
        var wish = PictureWish(at: .zero)
        func answer(_ milliseconds: Int64) -> PictureWish.Answer {
            wish.answer(cacheServes: true, isAlone: false, at: .zero + .milliseconds(milliseconds))
        }
        for moment in [0, 300] as [Int64] {
            wish.ask()
            #expect(answer(moment) == .cache)
        }
        wish.changeLane()
        #expect(answer(310) == .cache)
        wish.ask()
        #expect(answer(320) == .wait(until: .zero + .milliseconds(610)))
    }
}
