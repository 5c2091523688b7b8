import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

/// Viewers that ask once for what they miss.
@Suite("What there was no room to send again")
struct OwedRepairTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)
    private var sender: MediaSender
    private var path: PathControl
    private var video = SyntheticVideo()
    private var now = start

    init() { (sender, path) = Self.make(takesFlexFEC: false) }

    private static func make(takesFlexFEC: Bool) -> (MediaSender, PathControl) {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer",
            mid: nil, extensions: ExtensionMap(), bitsPerSecond: 4_000_000,
            flexFEC: takesFlexFEC ? .init(payloadType: 104, ssrc: 3) : nil)
        let clock = WallClockAnchor(instant: Self.start, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        let sender = MediaSender(parameters, wallClock: clock, random: &random, at: start)
        return (sender, PathControl(parameters, random: &random, at: start))
    }

    /// Sends pictures of 10 kB, 30 a second, and gives the numbers of their packets.
    private mutating func share(pictures: Int) -> [UInt16] {
        let first = UInt16(truncatingIfNeeded: sender.sequenceNumber)
        for picture in 0..<pictures {
            sender.enqueue(video.next(keyframe: picture == 0 && now == Self.start, size: 10_000, capturedAt: now), at: now)
            for _ in 0..<33 {
                while sender.nextPacket(&path, at: now) != nil {}
                now += .milliseconds(1)
            }
        }
        return (0..<UInt16(truncatingIfNeeded: sender.sequenceNumber) &- first).map { first &+ $0 }
    }

    /// Round trips tell of a queue of 600 ms.
    private mutating func fillQueue() {
        path.measured(roundTrip: .milliseconds(50), at: now)
        for _ in 0..<2 { path.measured(roundTrip: .milliseconds(650), at: now) }
    }

    @Test("is sent with the pictures that follow, each once, within the budget")
    mutating func later() {
        let numbers = Array(share(pictures: 10).suffix(60))
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        let before = sender.statistics
        _ = share(pictures: 1)
        let atOnce = sender.statistics.retransmissions - before.retransmissions
        #expect((10..<50).contains(atOnce))
        // A quarter of ten pictures more, and headers.
        _ = share(pictures: 10)
        let more = sender.statistics.retransmissions - before.retransmissions - atOnce
        #expect((10...24).contains(more), "\(more)")
        _ = share(pictures: 40)
        #expect(sender.statistics.retransmissions - before.retransmissions == 60)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("is asked for again by who takes repair packets")
    mutating func asksAgain() {
        (sender, path) = Self.make(takesFlexFEC: true)
        let numbers = Array(share(pictures: 10).suffix(60))
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 40)
        #expect((10..<50).contains(sender.statistics.retransmissions))
    }

    @Test("is no more than a request names, the newest first of all")
    mutating func bounded() {
        let numbers = share(pictures: 60)
        for _ in 0..<100 { sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now) }
        #expect(sender.repairs.owed.count == 128)
        sender.repair(Array(numbers.suffix(2)), path, checkRoundTrip: .milliseconds(50), at: now)
        #expect(sender.repairs.owed.count == 128 && sender.repairs.owed.map(\.number).suffix(2) == numbers.suffix(2))
    }

    @Test("waits until the queue is gone that it was lost in")
    mutating func queued() {
        let numbers = Array(share(pictures: 10).suffix(60))
        fillQueue()
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 10)
        let owed = sender.repairs.owed.count
        #expect(owed > 10)
        path.measured(roundTrip: .milliseconds(60), at: now)
        _ = share(pictures: 40)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("nothing is sent into a queue that may be full; what others seem to fill is waited for no longer than two seconds")
    mutating func once() {
        let numbers = Array(share(pictures: 10).suffix(8))
        fillQueue()
        for _ in 0..<5 {
            sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
            _ = share(pictures: 3)
        }
        #expect(sender.statistics.retransmissions == 0)
        _ = share(pictures: 60)
        #expect(sender.statistics.retransmissions == 8)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("few packets that are missed before a short queue are sent at once, and not again until they can have passed it")
    mutating func onceInQueue() {
        path.measured(roundTrip: .milliseconds(50), at: now)
        for _ in 0..<3 { path.measured(roundTrip: .milliseconds(230), at: now) }
        let numbers = Array(share(pictures: 40).suffix(8))
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 1)
        #expect(sender.statistics.retransmissions == 8)
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 1)
        #expect(sender.statistics.retransmissions == 8)
    }

    @Test("what was sent again is not sent once more a hundred packets later: some take that for a new stream")
    mutating func lateCopy() {
        path.measured(roundTrip: .milliseconds(50), at: now)
        for _ in 0..<3 { path.measured(roundTrip: .milliseconds(230), at: now) }
        let numbers = Array(share(pictures: 40).suffix(8))
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 12)
        path.measured(roundTrip: .milliseconds(60), at: now)
        _ = share(pictures: 12)
        #expect(sender.statistics.retransmissions == 8)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("what was answered is sent once more a tenth of a second later, unasked: a burst may have taken the answer too")
    mutating func unasked() {
        sender.repairs.told(loss: 0, roundTrip: .milliseconds(50), at: now)
        let numbers = Array(share(pictures: 10).suffix(3))
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 2)
        #expect(sender.statistics.retransmissions == 3)
        _ = share(pictures: 3)
        #expect(sender.statistics.retransmissions == 6)
        _ = share(pictures: 60)
        #expect(sender.statistics.retransmissions == 6)
        #expect(sender.repairs.owed.isEmpty)
    }

    /// A report of so many losses in all, on what left up to a number.
    private mutating func report(lost: Int32, upTo highest: UInt16) {
        let report = ReportBlock(
            ssrc: 1, fractionLost: 0, cumulativeLost: lost, extendedHighestSequenceNumber: UInt32(highest), jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        sender.oweUnasked(report, path, at: now)
    }

    @Test("of losses that a report tells of and nobody asked for, all that may be meant is sent again, once")
    mutating func unaskedLosses() {
        sender.repairs.told(loss: 0, roundTrip: .milliseconds(50), at: now)
        let numbers = share(pictures: 4)
        report(lost: 0, upTo: numbers[19])
        report(lost: 1, upTo: numbers[32])
        _ = share(pictures: 3)
        #expect(sender.statistics.retransmissions == 0, "the request may be on its way")
        _ = share(pictures: 3)
        #expect(sender.statistics.retransmissions == 13)
        _ = share(pictures: 40)
        #expect(sender.statistics.retransmissions == 13)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("something of the budget is left for what is asked for")
    mutating func guessedWithinBudget() {
        let numbers = share(pictures: 10)
        report(lost: 0, upTo: numbers[8])
        report(lost: 1, upTo: numbers[numbers.count - 1])
        let guesses = sender.repairs.owed.count
        now += .milliseconds(200)
        for _ in 0..<800 {
            while sender.nextPacket(&path, at: now) != nil {}
            now += .milliseconds(1)
        }
        let sent = sender.statistics.retransmissions
        #expect(sent > 0 && sent < guesses)
        sender.repair([numbers[numbers.count - 2]], path, checkRoundTrip: .milliseconds(50), at: now)
        for _ in 0..<10 { while sender.nextPacket(&path, at: now) != nil {} }
        #expect(sender.statistics.retransmissions == sent + 1)
    }

    @Test("what was asked for is no such loss, and what is asked for meanwhile is all that is missed")
    mutating func askedLosses() {
        sender.repairs.told(loss: 0, roundTrip: .milliseconds(50), at: now)
        let numbers = share(pictures: 4)
        report(lost: 0, upTo: numbers[2])
        sender.repair([numbers[10], numbers[11]], path, checkRoundTrip: .milliseconds(50), at: now)
        let answers = share(pictures: 5)
        #expect(sender.statistics.retransmissions == 4, "each once more than it was asked for")
        report(lost: 2, upTo: numbers[32])
        #expect(sender.repairs.owed.isEmpty)
        report(lost: 5, upTo: answers[9])
        #expect(sender.repairs.owed.count == answers[9] &- numbers[32])
        sender.repair([answers[5]], path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 40)
        #expect(sender.statistics.retransmissions == 6)
    }

    @Test("nothing is guessed at where that is a hundred packets ago, or very many, or the report an old one")
    mutating func lateGuess() {
        let numbers = share(pictures: 40)
        report(lost: 0, upTo: numbers[1])
        report(lost: 1, upTo: numbers[30])
        report(lost: 2, upTo: numbers[numbers.count - 1])
        report(lost: 3, upTo: numbers[numbers.count - 10])
        _ = share(pictures: 40)
        #expect(sender.statistics.retransmissions == 0)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("a report that tells 16 bits of a number begins at zero again, and an older one tells of nothing")
    func numbersOfReports() {
        #expect(ReportBlock.packets(after: 100, upTo: 130) == 30)
        #expect(ReportBlock.packets(after: 65_530, upTo: 10) == 16)
        #expect(ReportBlock.packets(after: 0x1_FFFA, upTo: 0x2_0005) == 11)
        #expect(ReportBlock.packets(after: 130, upTo: 100) == 0)
        #expect(ReportBlock.packets(after: 0x2_0005, upTo: 0x1_FFFA) == 0)
    }

    @Test("wakes nobody where there is no budget for it and no pictures follow")
    mutating func refused() {
        let numbers = Array(share(pictures: 40).suffix(120))
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        for _ in 0..<400 {
            while sender.nextPacket(&path, at: now) != nil {}
            now += .milliseconds(1)
        }
        #expect(!sender.repairs.owed.isEmpty)
        let due = sender.nextSend(path, at: now)
        #expect(due == nil)
        _ = share(pictures: 60)
        #expect(sender.statistics.retransmissions == 120)
    }

    @Test("is sent by itself where no pictures follow")
    mutating func idle() {
        let numbers = Array(share(pictures: 10).suffix(20))
        fillQueue()
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        for _ in 0..<2 { path.measured(roundTrip: .milliseconds(60), at: now + .seconds(1)) }
        now += .seconds(1)
        for _ in 0..<1000 {
            while sender.nextPacket(&path, at: now) != nil {}
            now += .milliseconds(1)
        }
        #expect(sender.statistics.retransmissions == 20)
        let due = sender.nextSend(path, at: now)
        #expect(due == nil, "and then nothing wakes anybody")
    }

    @Test("leaves one by one behind pictures when the queue has gone, and not before another encoder's keyframe")
    mutating func oneByOne() {
        let numbers = Array(share(pictures: 10).suffix(60))
        fillQueue()
        sender.repair(numbers, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 60)
        let before = (repairs: sender.statistics.retransmissions, all: sender.statistics.packetsSent)
        #expect(sender.repairs.owed.count > 10)
        path.measured(roundTrip: .milliseconds(60), at: now)
        _ = share(pictures: 1)
        let again = sender.statistics.retransmissions - before.repairs
        #expect(again > 0 && again * 2 <= sender.statistics.packetsSent - before.all)
        sender.dropUnsent()
        #expect(sender.repairs.owed.isEmpty)
    }
}
