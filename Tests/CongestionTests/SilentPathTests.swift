import Congestion
import Testing
import Timebase

@Suite("Where nothing is told of what was sent")
struct SilentPathTests {
    private var estimator = BandwidthEstimator(start: 3_000_000, maximum: 40_000_000, ecn: .classic)
    private var now = Instant.zero + .seconds(1)
    private var number: Int64 = 0

    /// Packets leave at once; of those that come feedback tells 40 ms later, and says what they came with where `marks` are told.
    /// - Returns: how long nothing had passed.
    @discardableResult
    private mutating func send(_ packets: Int, losing: Int = 0, tellsMarks: Bool = true) -> Duration? {
        let first = number
        var allowed: [Bool] = []
        for _ in 0..<packets {
            allowed.append(estimator.allowsMark(at: now))
            estimator.sent(number, bytes: 1200, at: now)
            number += 1
        }
        let arrival = Duration.milliseconds(now.nanoseconds / 1_000_000 + 20)
        now += .milliseconds(40)
        for (index, packet) in (first..<number).enumerated() {
            let ecn = tellsMarks ? allowed[index] ? ECNCodepoint.capable : .notCapable : nil
            estimator.report(UInt16(packet), arrival: index < losing ? nil : arrival, ecn: ecn)
        }
        return estimator.finish(at: now)
    }

    /// Some leave, and nothing is told for so long.
    private mutating func fallSilent(sending packets: Int, for time: Duration = .seconds(2)) {
        for _ in 0..<packets {
            _ = estimator.allowsMark(at: now)
            estimator.sent(number, bytes: 1200, at: now)
            number += 1
        }
        let end = now + time
        while now < end {
            now += .milliseconds(20)
            estimator.advance(to: now)
        }
        #expect(estimator.isSilent)
    }

    @Test("one packet leaves each 50 ms, after five seconds each 150 ms")
    mutating func fewer() {
        send(20)
        fallSilent(sending: 1, for: .seconds(1))
        let last = now - .seconds(1)
        #expect(estimator.mayLeave(at: now + .seconds(4)) == last + .milliseconds(50))
        #expect(estimator.mayLeave(at: now + .seconds(6)) == last + .milliseconds(150))
    }

    @Test("what a long queue had no room for is missed as soon as before an empty one, once nothing comes of it any more")
    mutating func fullQueue() {
        send(20)
        // A quarter of what is sent passes; the last find no room.
        var waiting: [(number: Int64, leaves: Instant)] = []
        let begin = now
        while now - begin < .milliseconds(3600) {
            if now - begin < .milliseconds(800) {
                estimator.sent(number, bytes: 1200, at: now)
                if now - begin < .milliseconds(650) { waiting.append((number, begin + (now - begin) * 4 + .milliseconds(40))) }
                number += 1
            }
            while let first = waiting.first, first.leaves <= now {
                waiting.removeFirst()
                let arrival = Duration.milliseconds(first.leaves.nanoseconds / 1_000_000 - 20)
                estimator.report(UInt16(first.number), arrival: arrival)
                estimator.finish(at: now)
            }
            estimator.advance(to: now)
            let isEarly = estimator.isSilent && !waiting.isEmpty
            #expect(!isEarly, "packets come")
            now += .milliseconds(20)
        }
        let (delay, isSilent) = (estimator.feedbackDelay ?? .zero, estimator.isSilent)
        #expect(delay > .seconds(1))
        #expect(isSilent)
    }

    @Test("a peer who is heard is waited for a little longer, not for ever")
    mutating func heard() {
        send(20)
        estimator.sent(number, bytes: 1200, at: now)
        for tenth in 1...10 as ClosedRange<Int64> {
            let later = now + .milliseconds(100 * tenth)
            estimator.heard(at: later)
            estimator.advance(to: later)
            if tenth == 5 { #expect(!estimator.isSilent) }
        }
        #expect(estimator.isSilent)
    }

    @Test("where all has come that was sent meanwhile, only the way back was closed, and nothing is doubted")
    mutating func wayBack() {
        send(20)
        fallSilent(sending: 5)
        let outage = send(20)
        #expect(outage == nil && !estimator.isSilent)
    }

    @Test("where most was lost it was an outage, and what was lost before it counts no more")
    mutating func outage() throws {
        for _ in 0..<60 { send(20, losing: 2) }
        #expect(estimator.lastingLoss > 0.05)
        fallSilent(sending: 5)
        let outage = send(20, losing: 15)
        let length = try #require(outage)
        #expect(length > .milliseconds(1900))
        #expect(estimator.lastingLoss == 0)
    }

    // MARK: Marks of congestion

    @Test("a few packets lost now and then, between others that were seen to carry it, are no sign that a network drops ECT")
    mutating func countedBetween() {
        send(20)
        send(20)
        #expect(estimator.isMarkable)
        for _ in 0..<3 {
            fallSilent(sending: 2)
            send(1, tellsMarks: false)
            // As RTCP counts them, apart from the feedback on single packets.
            estimator.report(ECNCounts(capable: 2))
            send(1, tellsMarks: false)
        }
        #expect(estimator.isMarkable)
        for _ in 0..<2 {
            fallSilent(sending: 2)
            send(1, tellsMarks: false)
        }
        #expect(!estimator.isMarkable, "where nothing was seen to carry it they are")
    }

    @Test("where a fifth of all is lost for long, it may be what ECT costs on one of two ways")
    mutating func lossOfMarked() {
        for _ in 0..<30 { send(20) }
        #expect(estimator.isMarkable)
        for _ in 0..<100 { send(20, losing: 6) }
        #expect(!estimator.isMarkable)
    }
}
