import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@Suite("What joiners begin with")
struct PictureCacheTests {
    private func unit(_ tick: Int64, bytes: Int, keyframe: Bool = false, isReference: Bool = true) -> PacketisedUnit {
        PacketisedUnit(
            bytes: [UInt8](repeating: 1, count: bytes), payloads: [0..<bytes], mediaTime: MediaTime(ticks: tick),
            capturedAt: .zero, isKeyframe: keyframe, isReference: isReference)
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

    @Test("an old keyframe, or one from before a pause, is nothing to look at")
    func oldPreview() {
        var cache = PictureCache()
        cache.add(unit(0, bytes: 100, keyframe: true))
        cache.add(unit(1, bytes: 101))
        func preview(_ milliseconds: Int64) -> PacketisedUnit? {
            cache.preview(4_000_000, over: 10_000_000, at: .zero + .milliseconds(milliseconds))
        }
        #expect(preview(990)?.mediaTime.ticks == 1)
        #expect(preview(1000) == nil, "another may be had at once")
        cache.forget()
        #expect(preview(0) == nil)
        cache.add(unit(2, bytes: 200_000, keyframe: true))
        #expect(preview(1800) != nil, "large ones are further apart")
        #expect(preview(1900) == nil, "a copy takes 160 ms")
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
