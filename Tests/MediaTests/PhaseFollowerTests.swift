import Testing
import Timebase

@testable import Media

@Suite("When slots move to what is new")
struct PhaseFollowerTests {
    private var follower = PhaseFollower(period: .nanoseconds(33_333_333))

    /// A period that is watched, with what came in it, so many milliseconds before its slot.
    /// - Returns: how far the slots move.
    private mutating func watch(_ lags: [Int64]) -> Duration {
        #expect(follower.isWatching)
        for lag in lags { follower.sawSomethingNew(lag: .milliseconds(lag)) }
        let before = follower.frameLeaves()
        #expect(before == .zero && follower.isClosing)
        return follower.frameLeaves()
    }

    @Test("once two periods saw the same, and not while they saw another number of pictures")
    mutating func agreed() {
        let moves = [watch([10]), watch([27, 10]), watch([27, 10])]
        #expect(moves.prefix(2) == [.zero, .zero])
        #expect(moves[2] < .zero && follower.isResting)
    }
}
