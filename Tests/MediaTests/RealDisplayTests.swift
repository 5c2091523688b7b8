import Media
import TestSupport
import Testing
import Timebase

/// Most displays are not exactly what they are called, and that beats with what plays.
@Suite("On real displays")
struct RealDisplayTests {
    static let sixtyHertz = [59.93, 60_000 / 1001.0, 59.951, 59.98, 60, 60.02, 60.05]
    static let displays = sixtyHertz + [30_000 / 1001.0, 30, 74.97, 120_000 / 1001.0, 120, 143.86]
    static let film = 24_000 / 1001.0
    static let television = 30_000 / 1001.0
    static let fastTelevision = 60_000 / 1001.0

    private struct Found {
        /// The last second in which the rate was another one, and how often it turned.
        var lastOther = 0.0
        var turns = 0
        var isEverFractional = false
        var unlocked = 0
    }

    private func found(_ showing: RealDisplay, seconds: Double, seed: UInt64, is rate: FrameRate) -> Found {
        var detector = CadenceDetector()
        var found = Found()
        var before: CadenceRate?
        for (number, time) in showing.times(seconds: seconds, seed: seed).enumerated() {
            detector.sawPicture(at: time)
            guard let cadence = detector.cadence else {
                found.unlocked += number > 30 ? 1 : 0
                continue
            }
            if cadence.rate.frameRate != rate { found.lastOther = (time - Instant.zero).inMilliseconds / 1000 - 1 }
            found.turns += before != nil && cadence.rate != before ? 1 : 0
            found.isEverFractional = found.isEverFractional || cadence.rate.isFractional
            before = cadence.rate
        }
        return found
    }

    @Test("24 and 30 are never taken for 23.976 and 29.97, though captures are dropped and the player is busy at times", arguments: displays)
    func whole(refresh: Double) {
        for rate in [24, 30] as [Int64] where Double(rate) <= refresh {
            for seed in 1...4 as ClosedRange<UInt64> {
                let showing = RealDisplay(rate: Double(rate), refresh: refresh, busyEvery: 30)
                let found = found(showing, seconds: 600, seed: seed, is: FrameRate(rate))
                #expect(!found.isEverFractional, "\(showing), seed \(seed)")
            }
        }
    }

    @Test("60 is not taken for 59.94 where the display shows any other number", arguments: displays)
    func wholeSixty(refresh: Double) {
        let showing = RealDisplay(rate: 60, refresh: refresh, busyEvery: 30)
        guard refresh > 59, abs(showing.shownRate - Self.fastTelevision) > 0.005 else { return }
        #expect(!found(showing, seconds: 300, seed: 1, is: FrameRate(60)).isEverFractional, "\(showing)")
    }

    @Test("23.976 and 29.97 are told within a minute, and stay told", arguments: displays)
    func fractional(refresh: Double) {
        for rate in [Self.film, Self.television] where !(rate == Self.television && refresh == 30) {
            for seed in 1...4 as ClosedRange<UInt64> {
                let showing = RealDisplay(rate: rate, refresh: refresh)
                let exact = FrameRate(Int64((rate * 1001).rounded()), per: 1001)
                let found = found(showing, seconds: 180, seed: seed, is: exact)
                #expect(found.lastOther > 0 && found.lastOther < 60, "\(showing), seed \(seed): \(found.lastOther) s")
            }
        }
    }

    @Test(
        "59.94 is told on displays that are faster; nearly as fast, each tick shows a picture, and lost captures look alike",
        arguments: [(59.98, 60), (60.05, 60), (120_000 / 1001.0, 59.94), (120, 59.94), (143.86, 59.94)]
            as [(Double, Double)])
    func fastFractional(refresh: Double, told: Double) throws {
        var detector = CadenceDetector()
        for time in RealDisplay(rate: Self.fastTelevision, refresh: refresh).times(seconds: 90, seed: 2) {
            detector.sawPicture(at: time)
        }
        let rate = try #require(detector.cadence?.rate.frameRate.framesPerSecond)
        #expect(abs(rate - told) < 0.001)
    }

    @Test("59.94 on 60 Hz and 29.97 on 30 are told by the fourth tick without a picture", arguments: [60, 30] as [Int64])
    func beats(nominal: Int64) {
        let rate = FrameRate(nominal * 1000, per: 1001)
        let showing = RealDisplay(rate: rate.framesPerSecond, refresh: Double(nominal), droppedOf: 0)
        let beat = 1001 / Double(nominal)
        for seed in 1...4 as ClosedRange<UInt64> {
            let found = found(showing, seconds: 300, seed: seed, is: rate)
            let isInTime = found.lastOther > 3 * beat - 1 && found.lastOther < 4 * beat + 1
            #expect(isInTime, "\(showing), seed \(seed): \(found.lastOther) s")
        }
    }

    @Test("59.94 on 60 Hz stays known though one capture in 300 is lost", arguments: 1...4 as ClosedRange<UInt64>)
    func beatsAmongLosses(seed: UInt64) {
        let showing = RealDisplay(rate: Self.fastTelevision, refresh: 60, droppedOf: 0)
        let known = Instant.zero + .seconds(70)
        var random = SeededGenerator(seed: seed)
        var detector = CadenceDetector()
        var forgotten = 0
        for time in showing.times(seconds: 600, seed: seed) {
            let isLost = time >= known && Int.random(in: 0..<300, using: &random) == 0
            if !isLost { detector.sawPicture(at: time) }
            if time >= known, detector.cadence?.rate.isFractional != true { forgotten += 1 }
        }
        #expect(forgotten == 0)
    }

    @Test("60 is not taken for 59.94 where a capture is lost every 1, 15, 16 or 20 s", arguments: [60, 900, 960, 1200])
    func lostRegularly(distance: Int) {
        var detector = CadenceDetector()
        var isEverFractional = false
        let times = RealDisplay(rate: 60, refresh: 60, droppedOf: 0).times(seconds: 200, seed: 1)
        for (number, time) in times.enumerated() where number % distance != 30 {
            detector.sawPicture(at: time)
            isEverFractional = isEverFractional || detector.cadence?.rate.isFractional == true
        }
        #expect(detector.cadence?.rate.frameRate == FrameRate(60) && !isEverFractional)
    }

    @Test("60 is not taken for 59.94 in an hour of lost captures, nor where a faster display shows none at one tick in 1001")
    func notBeats() {
        let lossy = RealDisplay(rate: 60, refresh: 60, droppedOf: 750)
        #expect(!found(lossy, seconds: 3600, seed: 1, is: FrameRate(60)).isEverFractional)
        let faster = RealDisplay(rate: 60, refresh: 60.06, droppedOf: 0)
        #expect(!found(faster, seconds: 200, seed: 1, is: FrameRate(60)).isEverFractional)
    }

    @Test("frames of 59.94 on 60 Hz keep to the display's ticks, before it is known and afterwards")
    func beatTimes() {
        let times = RealDisplay(rate: Self.fastTelevision, refresh: 60, droppedOf: 0).times(seconds: 100, seed: 2)
        var loop = CaptureLoop(rate: .fps30, pace: .following, changes: times.makeIterator())
        loop.run(until: times.last ?? .zero)
        #expect(loop.adapter.cadence?.rate.isFractional == true)
        #expect(loop.adapter.frameRate.framesPerSecond == 30)
        let distances = distances(Array(loop.frames.dropFirst(60)))
        #expect(distances.count > 2800 && distances.allSatisfy { abs($0 - 3000) <= 45 })
    }

    @Test(
        "a player that counts the display's ticks shows 23.976, 29.97 and 59.94 on one of 59.94 Hz, and they are called that",
        arguments: [24, 30, 60] as [Int64])
    func byTicks(rate: Int64) {
        let showing = RealDisplay(rate: Double(rate), refresh: Self.fastTelevision, player: .byTicks(asIf: 60))
        let found = found(showing, seconds: 120, seed: 1, is: FrameRate(rate * 1000, per: 1001))
        #expect(found.lastOther < 60 && found.turns == 1)
    }

    @Test("a tick that the display leaves out does not end the lock", arguments: [(30, 59.93), (30, 59.951), (60, 119.88)] as [(Double, Double)])
    func slips(rate: Double, refresh: Double) {
        let showing = RealDisplay(rate: rate, refresh: refresh, droppedOf: 0)
        for seed in 1...4 as ClosedRange<UInt64> {
            let found = found(showing, seconds: 300, seed: seed, is: FrameRate(Int64(rate)))
            #expect(found.unlocked <= 10, "\(showing): one at most, before the detector is sure")
        }
    }

    private func frames(_ showing: RealDisplay, seconds: Double, seed: UInt64) -> [CaptureLoop.Sent] {
        let times = showing.times(seconds: seconds, seed: seed)
        var loop = CaptureLoop(rate: .fps30, pace: .following, changes: times.makeIterator())
        loop.run(until: times.last ?? .zero)
        return Array(loop.frames.dropFirst(60))
    }

    /// The first picture of a lock still has the time that it had without.
    private func distances(_ frames: [CaptureLoop.Sent]) -> [Int64] {
        frames.indices.dropFirst(2).filter { frames[$0 - 2...$0].allSatisfy(\.isLocked) }.map {
            frames[$0].mediaTime.ticks - frames[$0 - 1].mediaTime.ticks
        }
    }

    @Test("pictures of a whole rate are dated exactly a period apart, but for steps of half a millisecond", arguments: sixtyHertz)
    func wholeTimes(refresh: Double) {
        for (rate, ticks) in [(24, 3750), (25, 3600), (30, 3000)] as [(Double, Int64)] {
            let showing = RealDisplay(rate: rate, refresh: refresh, droppedOf: 0)
            let distances = distances(frames(showing, seconds: 120, seed: 2))
            #expect(distances.allSatisfy { abs($0 - ticks) <= 45 }, "\(showing)")
            #expect(distances.count { $0 == ticks } * 100 >= distances.count * 98, "\(showing)")
        }
    }

    @Test("those of 23.976 and 29.97 are never dated with a leap, and exactly once the rate is known", arguments: sixtyHertz)
    func fractionalTimes(refresh: Double) {
        for (rate, ticks) in [(Self.film, 3753.75), (Self.television, 3003)] {
            let showing = RealDisplay(rate: rate, refresh: refresh, droppedOf: 0)
            let frames = frames(showing, seconds: 100, seed: 3)
            #expect(distances(frames).allSatisfy { abs(Double($0) - ticks) <= 50 }, "\(showing)")
            let known = frames.filter { $0.at > .zero + .seconds(70) }
            #expect(known.count > 600 && distances(known).allSatisfy { abs(Double($0) - ticks) < 1 }, "\(showing)")
        }
    }
}
