import Testing
import Timebase

@testable import PeerCore

@Suite("When a path that has become quiet is looked after")
struct PathWatchTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    /// Heard from at these intervals, then no more.
    private static func checks(after gaps: [Duration]) -> [Duration] {
        var watch = PathWatch(at: start)
        var heard = start
        for gap in gaps {
            heard += gap
            watch.heard(at: heard)
        }
        var times: [Duration] = []
        while let due = watch.due {
            times.append(due - heard)
            watch.checked()
        }
        return times
    }

    @Test("where pictures come all the time, after 0.3 s")
    func moving() {
        let times = Self.checks(after: Array(repeating: .milliseconds(33), count: 300))
        #expect(times.first == .milliseconds(300))
    }

    @Test("where a sign of life comes each second, not before the next is late")
    func still() {
        let times = Self.checks(after: Array(repeating: .seconds(1), count: 5))
        #expect(times.first == .milliseconds(1200))
        let after = Self.checks(after: [.seconds(1), .milliseconds(33), .milliseconds(33)])
        #expect(after.first == .milliseconds(1200), "what has just begun to move may rest again")
    }

    @Test("five times a second at first, then less often, until ICE itself knows that nothing comes")
    func intervals() {
        let times = Self.checks(after: [.seconds(1)])
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(gaps.prefix(10).allSatisfy { $0 == .milliseconds(200) })
        #expect(gaps.dropFirst(10).allSatisfy { $0 == .milliseconds(400) } && gaps.count == 24)
        #expect((times.last ?? .zero) < .seconds(10) && times.count == 25)
    }

    @Test("where ICE hears the peer again after all of that, and no media follows, it begins anew")
    func recovered() {
        var watch = PathWatch(at: Self.start)
        while watch.due != nil { watch.checked() }
        let later = Self.start + .seconds(25)
        watch.recovered(at: later)
        #expect(watch.due == later + .milliseconds(1200))
    }
}
