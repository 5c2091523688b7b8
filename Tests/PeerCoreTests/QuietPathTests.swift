import PeerCore
import TestSupport
import Testing
import Timebase

@Suite("A peer that has become quiet")
struct QuietPathTests {
    @Test("it counts as quiet within a second of the last report, until it is heard again")
    func quiet() {
        var share = Share(PeerPair(seed: 4))
        share.run(for: .seconds(8))
        let before = share.pair.sharer.isQuiet
        share.pair.link.conditions.loss = 1
        share.run(for: .milliseconds(900))
        let during = share.pair.sharer.isQuiet
        share.pair.link.conditions.loss = 0
        share.run(for: .seconds(1))
        let after = share.pair.sharer.isQuiet
        #expect([before, during, after] == [false, true, false])
    }

    @Test("one whose reports stay away, and who answers each check, is there")
    func answers() {
        var share = Share(PeerPair(seed: 4))
        share.run(for: .seconds(5))
        share.pair.viewerReportsAt = [share.pair.now + .seconds(60)]
        share.run(for: .seconds(3))
        let isQuiet = share.pair.sharer.isQuiet
        #expect(!isQuiet)
    }
}
