import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@Suite("What joiners begin with")
struct PictureCacheTests {
    private func unit(
        _ tick: Int64, bytes: Int, keyframe: Bool = false, isReference: Bool = true, interval: Duration = .seconds(1)
    ) -> PacketizedUnit {
        PacketizedUnit(
            bytes: [UInt8](repeating: 1, count: bytes), payloads: [0..<bytes], mediaTime: MediaTime(ticks: tick),
            capturedAt: .zero, isKeyframe: keyframe, isReference: isReference, keyframeInterval: interval)
    }

    @Test("holds the last keyframe and what refers to it")
    func order() {
        var cache = PictureCache()
        cache.add(unit(0, bytes: 10))
        #expect(cache.units == nil, "nothing can be decoded before a keyframe")
        cache.add(unit(1, bytes: 100, keyframe: true))
        cache.add(unit(2, bytes: 30))
        cache.add(unit(3, bytes: 5, isReference: false))
        cache.add(unit(4, bytes: 30))
        #expect(cache.units?.map(\.mediaTime.ticks) == [1, 2, 4])
        #expect(cache.bytes == 160)
        cache.add(unit(5, bytes: 80, keyframe: true))
        #expect(cache.units?.map(\.mediaTime.ticks) == [5])
        #expect(cache.bytes == 80)
        cache.forget()
        #expect(cache.units == nil)
    }

    @Test("serves no longer than a new keyframe would cost as much")
    func limits() {
        var bytes = PictureCache()
        bytes.add(unit(0, bytes: 100, keyframe: true))
        bytes.add(unit(1, bytes: 100))
        #expect(bytes.units != nil)
        bytes.add(unit(2, bytes: 1))
        #expect(bytes.units == nil)
        bytes.add(unit(3, bytes: 0))
        #expect(bytes.units == nil, "and not again before the next keyframe")

        var pictures = PictureCache()
        pictures.add(unit(0, bytes: 10_000, keyframe: true))
        for tick in 1...60 { pictures.add(unit(Int64(tick), bytes: 1)) }
        #expect(pictures.units?.count == 61)
        pictures.add(unit(61, bytes: 1))
        #expect(pictures.units == nil)
    }

    @Test("beyond that it holds sixty pictures, as much as four keyframes")
    func chain() {
        var cache = PictureCache()
        cache.add(unit(0, bytes: 100, keyframe: true))
        for tick in 1...20 { cache.add(unit(Int64(tick), bytes: 20)) }
        #expect(cache.units == nil)
        #expect(cache.chain?.count == 21)
        cache.add(unit(21, bytes: 1))
        #expect(cache.chain == nil)

        var small = PictureCache()
        small.add(unit(0, bytes: 2000, keyframe: true))
        for tick in 1...60 { small.add(unit(Int64(tick), bytes: 100)) }
        #expect(small.chain?.count == 61)
        small.add(unit(61, bytes: 100))
        #expect(small.chain == nil)
    }

    /// A keyframe and eight pictures of half its size, 33 ms apart, behind somebody's connecting.
    private func movingScreen(bytes: Int, _ video: inout SyntheticVideo, _ pair: inout PeerPair) -> PictureCache {
        var cache = PictureCache()
        pair.run(for: .milliseconds(300))
        for index in 0..<9 {
            cache.add(video.next(keyframe: index == 0, size: index == 0 ? bytes * 2 : bytes, capturedAt: pair.now))
            if index < 8 { pair.run(for: .milliseconds(33)) }
        }
        return cache
    }

    @Test("who begins beside others on a moving screen catches up with them, and nobody else gets a keyframe for it")
    func besideOthers() {
        var pair = PeerPair(seed: 6)
        var video = SyntheticVideo()
        let cache = movingScreen(bytes: 4000, &video, &pair)
        #expect(cache.units == nil && cache.chain?.count == 9)
        do {
            let (alone, beside) = (pair.canBegin(with: cache), pair.canBegin(with: cache, isAlone: false))
            #expect(!alone, "who is alone has a keyframe sooner")
            #expect(beside)
        }
        pair.begin(with: cache, isAlone: false)
        pair.run(for: .milliseconds(400))
        let received = pair.received
        #expect(received.map(\.accessUnit.isKeyframe) == [true] + [Bool](repeating: false, count: 8))
        for _ in 0..<5 {
            pair.send(video.next(keyframe: false, size: 4000, capturedAt: pair.now))
            pair.run(for: .milliseconds(33))
        }
        #expect(pair.received.count == 14, "and goes on with the others")
        let times = pair.received.map(\.mediaTime.ticks)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let again = pair.canBegin(with: cache, isAlone: false)
        #expect(!again, "once it has begun it is served as all are")
    }

    @Test("who could not catch up within a second waits for a keyframe instead")
    func tooMuchToCatchUp() {
        // 2.9 Mbit/s, on a path that is taken to carry 3.
        var pair = PeerPair(seed: 6)
        var video = SyntheticVideo()
        let cache = movingScreen(bytes: 12_000, &video, &pair)
        #expect(cache.chain != nil)
        let begins = pair.canBegin(with: cache, isAlone: false)
        #expect(!begins)
    }

    @Test("what is asked for before the keyframe on its way can have been seen costs the others no second one")
    func early() {
        func answers(_ wish: inout PictureWish, isAlone: Bool = false) -> PictureWish.Answer {
            wish.answer(cacheServes: false, isAlone: isAlone, at: .zero)
        }
        var wish = PictureWish(at: .zero)
        wish.ask(early: true)
        #expect(answers(&wish) == .nothing)
        #expect(!wish.isOpen, "who can't use it asks again")
        wish.ask()
        #expect(answers(&wish) == .keyframe)
        wish.ask(early: true)
        #expect(answers(&wish) == .nothing)
        #expect(wish.isOpen, "the one that was asked for before is still to come")

        var alone = PictureWish(at: .zero)
        alone.ask(early: true)
        #expect(answers(&alone, isAlone: true) == .keyframe)
        var served = PictureWish(at: .zero)
        served.ask(early: true)
        #expect(served.answer(cacheServes: true, isAlone: false, at: .zero) == .cache)
    }

    @Test("the first request, and any within a round trip of a keyframe, came before that could be judged")
    func whenEarly() {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(50)
        var pair = PeerPair(seed: 5, conditions: conditions)
        var video = SyntheticVideo()
        pair.run(for: .milliseconds(500))
        /// Whether the sharer takes the newest request for early.
        func isEarly(_ pair: borrowing PeerPair) -> Bool {
            for event in pair.sharerEvents.reversed() {
                if case .keyframeAskedEarly = event { return true }
                if case .keyframeNeeded = event { return false }
            }
            return false
        }
        pair.send(video.next(keyframe: true, size: 8000, capturedAt: pair.now))
        pair.run(for: .milliseconds(205))
        pair.viewer.requestKeyframe(at: pair.now)
        pair.drain()
        pair.run(for: .milliseconds(60))
        do {
            let first = isEarly(pair)
            #expect(first, "many players ask as they begin")
        }
        // It asks again every 300 ms, and the answer takes 50.
        pair.run(for: .milliseconds(300))
        do {
            let second = isEarly(pair)
            #expect(!second, "who asks again can't use what it had")
        }
        pair.run(for: .milliseconds(200))
        pair.send(video.next(keyframe: true, size: 8000, capturedAt: pair.now))
        pair.run(for: .milliseconds(100))
        let third = isEarly(pair)
        #expect(third, "the keyframe was not there yet when it asked")
    }

    @Test("a viewer who asks a thousand times a second is served once a second, and costs the encoder little")
    func flood() {
        var wish = PictureWish(at: .zero)
        var (served, asked) = (0, 0)
        for millisecond in 0..<30_000 {
            let now = Instant.zero + .milliseconds(Int64(millisecond))
            wish.ask()
            switch wish.answer(cacheServes: millisecond < 10_000, isAlone: false, at: now) {
            case .cache: served += 1
            case .keyframe:
                asked += 1
                wish.keyframeMade()
            case .wait, .nothing: break
            }
        }
        #expect(served == 10)
        #expect(asked >= 8 && asked <= 11, "four, and one in three seconds; \(asked)")
    }

    @Test("a keyframe that does not come is asked for again")
    func patience() {
        var wish = PictureWish(at: .zero)
        func asks(_ milliseconds: Int64) -> Bool {
            wish.answer(cacheServes: false, isAlone: true, at: .zero + .milliseconds(milliseconds)) == .keyframe
        }
        let unasked = asks(0)
        #expect(!unasked, "nobody has asked")
        wish.ask()
        let (first, soon, later) = (asks(0), asks(1900), asks(2000))
        #expect(first && !soon && later)
        wish.keyframeMade()
        #expect(!wish.isOpen)
    }

    @Test("who asks when the first packet comes is served once more after a pause, and the others get no keyframe for it")
    func again() {
        var wish = PictureWish(at: .zero)
        func answers(_ milliseconds: Int64, cacheServes: Bool = true) -> PictureWish.Answer {
            wish.answer(cacheServes: cacheServes, isAlone: false, at: .zero + .milliseconds(milliseconds))
        }
        wish.ask()
        #expect(answers(0) == .cache)
        #expect(answers(10) == .nothing, "nobody has asked again")
        wish.ask()
        #expect(answers(20) == .wait(until: .zero + .milliseconds(300)))
        #expect(answers(300) == .cache)
        wish.ask()
        #expect(answers(310) == .wait(until: .zero + .seconds(2)), "once a second on average")
        #expect(answers(400, cacheServes: false) == .keyframe, "what waits for a cache that is gone needs a keyframe")
    }

    @Test("a viewer whose decoder has lost its way is mended from the cache: no second keyframe, all pictures in order")
    func mended() {
        var share = Share(PeerPair(seed: 5))
        share.keyframeSize = 8000
        share.run(for: .milliseconds(400), unitSize: 300)
        let before = share.pair.received.count
        #expect(before > 3)
        share.pair.viewer.requestKeyframe(at: share.pair.now)
        share.pair.drain()
        share.run(for: .milliseconds(300), unitSize: 100)
        #expect(share.keyframes == 1)
        #expect(share.timesServed == 1)
        let keyframes = share.pair.received.indices.filter { share.pair.received[$0].accessUnit.isKeyframe }
        #expect(keyframes.count == 2)
        let times = share.pair.received.map(\.mediaTime.ticks)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        guard let again = keyframes.last else { return }
        let pressed = times[again...].prefix { $0 < times[again] + 100 }
        #expect(pressed.count >= before, "all that followed the keyframe came with it, a tick apart")
        #expect(share.recent >= pressed.count + 5, "and then the pictures go on")
    }

    @Test("who waits for a keyframe of a moving screen has the last one to look at, and nothing that it can't decode")
    func preview() throws {
        var pair = PeerPair(seed: 6)
        var video = SyntheticVideo()
        var cache = PictureCache()
        let begin = pair.now
        pair.run(for: .milliseconds(300))
        cache.add(video.next(keyframe: true, size: 8000, capturedAt: begin))
        for _ in 1...8 { cache.add(video.next(keyframe: false, size: 6000, capturedAt: pair.now)) }
        #expect(cache.units == nil, "to catch up costs more than a keyframe")
        pair.preview(cache)
        for isKeyframe in [false, false, true, false] {
            pair.run(for: .milliseconds(33))
            let unit = video.next(keyframe: isKeyframe, size: isKeyframe ? 8000 : 6000, capturedAt: pair.now)
            cache.add(unit)
            pair.send(unit)
            pair.preview(cache)
        }
        pair.run(for: .milliseconds(100))
        let received = pair.received
        #expect(received.map(\.accessUnit.isKeyframe) == [true, true, false])
        let wait = try #require(received.dropFirst().first).receivedAt - received[0].receivedAt
        #expect(wait > .milliseconds(60), "and it comes long before the next")
        #expect(received[0].mediaTime < received[1].mediaTime)
        #expect(received[1].mediaTime.ticks - received[0].mediaTime.ticks <= 4 * 3000, "as if it had just been captured")
    }

    @Test("what a request is answered with leaves in the same drain, though all that there was before has left")
    func answeredWhileDraining() {
        var pair = PeerPair(seed: 6)
        var video = SyntheticVideo()
        var cache = PictureCache()
        pair.run(for: .milliseconds(300))
        cache.add(video.next(keyframe: true, size: 3000, capturedAt: pair.now))
        var request: [UInt8] = []
        PictureLossIndication(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA).append(to: &request)
        pair.sharer.receive(
            TransparentSecurity.protected(request, number: .max), local: PeerPair.address(1), from: PeerPair.address(2),
            at: pair.now)
        var (requests, packets) = (0, 0)
        drain: while true {
            switch pair.sharer.nextOutput() {
            case .event(.keyframeNeeded):
                requests += 1
                pair.sharer.begin(with: cache, isAlone: true, at: pair.now)
            case .event: continue
            case .transmit(let transmit): packets += transmit.bytes.count > 500 ? 1 : 0
            case .wait: break drain
            }
        }
        #expect(requests == 1 && packets > 0)
    }

    @Test("an old keyframe, or one from before a pause, is nothing to look at")
    func oldPreview() {
        var cache = PictureCache()
        cache.add(unit(0, bytes: 100, keyframe: true))
        cache.add(unit(1, bytes: 101))
        func preview(_ milliseconds: Int64) -> PacketizedUnit? {
            cache.preview(over: 10_000_000, at: .zero + .milliseconds(milliseconds))
        }
        #expect(preview(990)?.mediaTime.ticks == 1)
        #expect(preview(1000) == nil, "another may be had at once")
        cache.forget()
        #expect(preview(0) == nil)
        cache.add(unit(2, bytes: 200_000, keyframe: true, interval: .seconds(2)))
        #expect(preview(1800) != nil, "some lanes' are further apart")
        #expect(preview(1900) == nil, "a copy takes 160 ms")
        cache.add(unit(3, bytes: 50_000, keyframe: true, interval: .seconds(2)))
        #expect(preview(1900) != nil, "and one of a smaller one 40 ms")
    }

    @Test("after a pause nothing is left to begin with")
    func pause() {
        var cache = PictureCache()
        cache.add(unit(0, bytes: 100, keyframe: true))
        cache.forget()
        cache.add(unit(1, bytes: 10))
        #expect(cache.units == nil)
    }
}
