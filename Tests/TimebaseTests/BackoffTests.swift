import TestSupport
import Testing
import Timebase

@Suite("Pauses between attempts")
struct BackoffTests {
    private let range = Duration.milliseconds(250)...Duration.seconds(2)

    @Test("double up to the longest, and begin anew")
    func doubling() {
        var backoff = Backoff(range)
        let pauses = (0..<5).map { _ in backoff.next().inSeconds }
        #expect(pauses == [0.25, 0.5, 1, 2, 2])
        backoff.reset()
        let first = backoff.next()
        #expect(first == .milliseconds(250))
    }

    @Test("are scattered as far as was said (seed 5)")
    func scattered() {
        var random = SeededGenerator(seed: 5)
        var backoff = Backoff(range, scatter: 0.5...1)
        var pauses: [Duration] = []
        for ceiling in [250, 500, 1000, 2000, 2000, 2000] {
            let pause = backoff.next(using: &random)
            #expect(pause >= .milliseconds(ceiling / 2) && pause <= .milliseconds(ceiling))
            pauses.append(pause)
        }
        #expect(Set(pauses).count == 6)
        backoff.reset()
        let first = backoff.next(using: &random)
        #expect(first <= .milliseconds(250))
    }
}
