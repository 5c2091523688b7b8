import TestSupport
import Testing
import Timebase

@testable import PeerCore

/// A policer drops what is beyond its rate, and keeps no queue that could tell of it. What a viewer then misses is sent again,
/// and keyframes are made: all that is to fit.
@Suite("A policer on the way")
struct PolicedPathTests {
    @Test(
        "pictures go on, and keyframes are few, whatever it has saved up",
        arguments: [(1_000_000, 20_000), (1_000_000, 100_000), (500_000, 10_000), (300_000, 10_000)],
        1...3 as ClosedRange<UInt64>)
    func goesOn(policer: (rate: Int, saved: Int), seed: UInt64) {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(20)
        (conditions.policed, conditions.savedByPolicer) = (policer.rate, policer.saved)
        var share = Share(PeerPair(seed: seed, conditions: conditions))
        share.followsPath = true
        // As a page's is, whatever the rate.
        share.keyframeSize = 40_000
        share.run(for: .seconds(10))
        let (before, received) = (share.keyframes, share.pair.unitsReceived)
        share.run(for: .seconds(20))
        let units = share.pair.unitsReceived - received
        #expect(units > 500, "\(units) pictures in 20 s")
        let keyframes = share.keyframes - before
        #expect(keyframes <= 4, "\(keyframes) keyframes in 20 s")
    }
}
