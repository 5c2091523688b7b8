import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("What is told of a viewer's path")
struct PathStateTests {
    /// Behind 4.8 Mbit in a second.
    ///
    /// - Parameter estimate: what the viewer says that its path takes; nil: nothing.
    private func told(estimate: UInt64?, maximum: Int = 4_000_000, audio: Int = 0) -> PathState? {
        var path = LoneSender(bitsPerSecond: maximum).path
        path.sent([UInt8](repeating: 0, count: 600_000), .video, at: LoneSender.start)
        if let estimate {
            path.receive(BitrateEstimate(senderSSRC: 9, bitsPerSecond: estimate, ssrcs: [1]), at: LoneSender.start)
        }
        return path.news(audio: audio, backlog: 0, at: LoneSender.start)
    }

    @Test(
        "it is limited below what there may be, and starved below what pictures take at the very least",
        arguments: [
            (nil, false, false), (3_900_000, false, false), (3_800_000, true, false), (1_000_000, true, false),
            (65_000, true, false), (60_000, true, true), (40_000, true, true),
        ] as [(UInt64?, Bool, Bool)])
    func limits(estimate: UInt64?, isLimited: Bool, isStarved: Bool) throws {
        let state = try #require(told(estimate: estimate))
        #expect(state.pathRate == estimate.map { Int($0) } ?? 4_000_000)
        #expect(state.isLimited == isLimited && state.isStarved == isStarved, "\(state)")
    }

    @Test("behind a start that found a narrow path pictures leave no faster than it takes them, until its queue is gone")
    func narrowStart() {
        var path = LoneSender(bitsPerSecond: 4_000_000).path
        path.begin(roundTrip: .milliseconds(40))
        #expect(path.pacingRate == 40_000_000)
        var checks: [(due: Instant, took: Duration)] = []
        var queue = 0.0
        for tick in 0..<1000 where path.target == 4_000_000 {
            let now = LoneSender.start + .milliseconds(tick)
            // 500 kbit/s pass.
            queue = max(0, queue - 500)
            while let check = checks.first, check.due <= now {
                checks.removeFirst()
                path.measured(roundTrip: check.took, at: now)
            }
            if let free = path.mayLeave(at: now), free <= now {
                path.sent([UInt8](repeating: 0, count: 1200), .video, at: now)
                queue += 9600
            }
            guard path.takeRoundTripWish(at: now) else { continue }
            let took = Duration.milliseconds(40) + .seconds(queue / 500_000)
            checks.append((now + took, took))
        }
        #expect(path.target < 1_000_000 && path.pacingRate == path.target, "\(path.target)")
        path.measured(roundTrip: .milliseconds(40), at: LoneSender.start + .seconds(3))
        #expect(path.pacingRate == path.target * 10)
    }

    @Test("pictures wait too long from 60 ms on, and do so until less than 25 ms of them wait")
    func congestion() {
        var path = LoneSender(bitsPerSecond: 4_000_000).path
        // 3.8 Mbit/s are left for them: 40, 100, 40 and 20 ms. What is as before is not told again.
        let told = [19_000, 47_500, 19_000, 9_500].map { path.news(audio: 0, backlog: $0, at: LoneSender.start)?.isCongested }
        #expect(told == [false, true, nil, false])
    }

    @Test("sound can leave too little for pictures; a share that wants so little of them is not starved")
    func soundAndWish() throws {
        let beside = try #require(told(estimate: 100_000, audio: 50_000))
        #expect(beside.isStarved)
        let wished = try #require(told(estimate: nil, maximum: 50_000))
        #expect(!wished.isStarved && !wished.isLimited)
    }
}
