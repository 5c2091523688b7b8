import Testing
import Timebase

@testable import ScreenCapture

@Suite("How long a read waits for the server")
struct ReadPatienceTests {
    private let start = Instant.zero

    @Test("where answers come late it grows, two seconds at most, and it shrinks with what they take")
    func late() {
        var patience = ReadPatience()
        patience.caughtUp()
        #expect(patience.time == .milliseconds(250))
        for expected in [500, 1000, 2000, 2000] {
            _ = patience.wasLeft(since: start, at: start + .milliseconds(250))
            patience.caughtUp()
            #expect(patience.time == .milliseconds(expected))
        }
        patience.succeeded(in: .milliseconds(400))
        #expect(patience.time == .milliseconds(800))
        patience.succeeded(in: nil)
        #expect(patience.time == .milliseconds(800), "without a question nothing is known of the answers")
        patience.succeeded(in: .milliseconds(1))
        #expect(patience.time == .milliseconds(250))
    }

    @Test("a read that is left long after another, with none between, is not told of")
    func seldom() {
        var patience = ReadPatience()
        for minute in 0..<10 {
            let begun = start + .seconds(60 * minute)
            let isTold = patience.wasLeft(since: begun, at: begun + .milliseconds(250))
            #expect(!isTold)
        }
    }

    @Test("it does not grow with a server that does not answer at all, whose silence is told after three seconds, once")
    func silent() {
        var patience = ReadPatience()
        for round in 0..<2 {
            var told: [Int] = []
            for step in 0..<40 {
                let begun = start + .seconds(60 * round) + .milliseconds(250 * step)
                if patience.wasLeft(since: begun, at: begun + .milliseconds(250)) { told.append(step) }
            }
            #expect(told == [11])
            #expect(patience.time == .milliseconds(250))
            patience.succeeded(in: .milliseconds(1))
        }
    }
}
