import Congestion
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("What waits to be sent")
struct SenderQueueTests {
    private static let start = LoneSender.start
    private var sender: MediaSender
    private var path: PathControl
    private var video = SyntheticVideo()

    init() {
        let lone = LoneSender(bitsPerSecond: 1_000_000, isRepaired: true)
        (sender, path) = (lone.sender, lone.path)
    }

    private func after(_ seconds: Double) -> Instant { Self.start + .seconds(seconds) }

    private mutating func enqueue(keyframe: Bool = false, size: Int, at now: Instant) {
        sender.enqueue(video.next(keyframe: keyframe, size: size, capturedAt: now), at: now)
    }

    /// Of a keyframe one packet has left.
    private mutating func beginKeyframe() throws {
        enqueue(keyframe: true, size: 15_000, at: Self.start)
        let first = sender.nextPacket(&path, at: Self.start)
        _ = try #require(first)
        #expect(sender.backlog > 10_000)
    }

    /// All of the keyframe leaves.
    private mutating func endKeyframe(at instant: Instant) -> Instant {
        var now = instant
        while sender.keyframeLeftAt == nil, now < instant + .seconds(1) {
            if sender.nextPacket(&path, at: now) == nil { now += .milliseconds(1) }
        }
        return now
    }

    @Test("a keyframe that takes long goes on alone, and what stood behind it waits no more")
    mutating func alone() throws {
        try beginKeyframe()
        let rest = sender.backlog
        enqueue(size: 10_000, at: after(1))
        #expect(sender.backlog > rest + 9_000)
        enqueue(size: 10_000, at: after(5))
        #expect(sender.backlog == rest && sender.statistics.unitsDropped == 2)
    }

    @Test("one that takes more than twenty seconds is given up, and another asked for")
    mutating func givenUp() throws {
        try beginKeyframe()
        enqueue(size: 1_000, at: after(5))
        let before = sender.takeKeyframeWish(path)
        #expect(sender.backlog > 0 && !before)
        enqueue(size: 1_000, at: after(21))
        let later = sender.takeKeyframeWish(path)
        #expect(sender.backlog == 0 && later)
    }

    @Test("what waited for a keyframe alone is not too late when that has left")
    mutating func behindKeyframe() throws {
        try beginKeyframe()
        enqueue(size: 1_000, at: after(0.1))
        let left = endKeyframe(at: after(3))
        #expect(sender.backlog > 900)
        enqueue(size: 1_000, at: left + .milliseconds(33))
        #expect(sender.backlog > 1_900 && sender.statistics.unitsDropped == 0)
    }

    @Test("however large pictures are, four megabytes of them wait at most")
    mutating func bytes() {
        enqueue(keyframe: true, size: 1_000, at: Self.start)
        let unit = video.next(keyframe: false, size: 500_000, capturedAt: Self.start)
        for _ in 0..<10 {
            sender.enqueue(unit, at: Self.start)
            #expect(sender.backlog <= 4 << 20)
        }
        #expect(sender.statistics.unitsDropped > 0)
    }

    @Test("who asks for a keyframe right behind one is sent on what follows that; a second later it is given up")
    mutating func askedBehindKeyframe() throws {
        try beginKeyframe()
        let left = endKeyframe(at: after(0.1))
        enqueue(size: 100_000, at: left)
        sender.abandon(path, at: left + .milliseconds(900))
        #expect(sender.backlog > 90_000)
        sender.abandon(path, at: left + .milliseconds(1_100))
        #expect(sender.backlog == 0)
    }

    @Test("at a higher rate more is saved up for repair")
    mutating func budget() {
        sender.setBitrate(8_000_000, at: Self.start)
        sender.repairs.budget.earn(2_000_000)
        let isThere = sender.repairs.budget.spend(240_000)
        #expect(isThere)
    }

    @Test("a path is not measured with a packet of long ago, which a viewer takes for a new one")
    mutating func oldProbe() {
        let large = video.next(keyframe: false, size: 3_000, capturedAt: Self.start)
        let small = video.next(keyframe: false, size: 100, capturedAt: Self.start)
        #expect(!sender.repairs.hasProbe)
        sender.repairs.sent(large, 0, as: 40_000, bytes: 1_200, path, at: Self.start)
        sender.repairs.sent(small, 0, as: 48_000, bytes: 120, path, at: Self.start)
        #expect(sender.repairs.hasProbe)
        sender.repairs.sent(small, 0, as: 48_192, bytes: 120, path, at: Self.start)
        #expect(!sender.repairs.hasProbe)
    }
}

@Suite("How a viewer is told to show a film whose packets get lost")
struct PlayoutPlanTests {
    @Test("held back until they were sent again, and that for ten seconds behind the last loss")
    func steady() {
        var plan = PlayoutPlan(PlayoutWish(prefersSteady: true))
        func adapt(isLossy: Bool, at second: Int64) -> Bool {
            plan.adapt(isLossy: isLossy, roundTrip: .milliseconds(50), at: LoneSender.start + .seconds(second))
            return plan.delay != PlayoutDelay.none
        }
        let held = (0...5 as ClosedRange<Int64>).map { adapt(isLossy: true, at: $0) }
        #expect(held == [false, false, false, false, true, true])
        let clean = [6, 10, 14, 15, 16].map { adapt(isLossy: false, at: $0) }
        #expect(clean == [true, true, true, false, false])
    }
    @Test("losses that a queue hides for a moment go on; those that are over before four seconds hold nothing back")
    func pauses() {
        func delay(_ lossy: [Bool]) -> PlayoutDelay {
            var plan = PlayoutPlan(PlayoutWish(prefersSteady: true))
            for (second, isLossy) in lossy.enumerated() {
                plan.adapt(
                    isLossy: isLossy, roundTrip: .milliseconds(50), at: LoneSender.start + .seconds(Int64(second)))
            }
            return plan.delay
        }
        #expect(delay([true, true, false, true, true]) != .none)
        #expect(delay([true, true, false, false, true, true]) == .none)
        #expect(delay([true, true, true, false, false, false]) == .none)
        #expect(delay([true, true, true, true, false]) == .none)
    }
}
