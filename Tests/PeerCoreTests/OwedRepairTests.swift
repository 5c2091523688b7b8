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

    init() { (sender, path) = Self.make(takesParity: false) }

    private static func make(takesParity: Bool) -> (MediaSender, PathControl) {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer",
            mid: nil, extensions: ExtensionMap(), bitsPerSecond: 4_000_000,
            parity: takesParity ? .init(payloadType: 104, ssrc: 3) : nil)
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
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
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
        #expect(sender.owed.isEmpty)
    }

    @Test("is asked for again by who takes repair packets")
    mutating func asksAgain() {
        (sender, path) = Self.make(takesParity: true)
        let numbers = Array(share(pictures: 10).suffix(60))
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 40)
        #expect((10..<50).contains(sender.statistics.retransmissions))
    }

    @Test("is no more than a request names, the newest first of all")
    mutating func bounded() {
        let numbers = share(pictures: 60)
        for _ in 0..<100 { sender.repair(numbers, path, connected: .milliseconds(50), at: now) }
        #expect(sender.owed.count == 128)
        sender.repair(Array(numbers.suffix(2)), path, connected: .milliseconds(50), at: now)
        #expect(sender.owed.count == 128 && sender.owed.map(\.number).suffix(2) == numbers.suffix(2))
    }

    @Test("waits until the queue is gone that it was lost in")
    mutating func queued() {
        let numbers = Array(share(pictures: 10).suffix(60))
        fillQueue()
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 10)
        let owed = sender.owed.count
        #expect(owed > 10)
        path.measured(roundTrip: .milliseconds(60), at: now)
        _ = share(pictures: 40)
        #expect(sender.owed.isEmpty)
    }

    @Test("nothing is sent into a queue that may be full; what others seem to fill is waited for no longer than two seconds")
    mutating func once() {
        let numbers = Array(share(pictures: 10).suffix(8))
        fillQueue()
        for _ in 0..<5 {
            sender.repair(numbers, path, connected: .milliseconds(50), at: now)
            _ = share(pictures: 3)
        }
        #expect(sender.statistics.retransmissions == 0)
        _ = share(pictures: 60)
        #expect(sender.statistics.retransmissions == 8)
        #expect(sender.owed.isEmpty)
    }

    @Test("few packets that are missed before a short queue are sent at once, and not again until they can have passed it")
    mutating func onceInQueue() {
        path.measured(roundTrip: .milliseconds(50), at: now)
        for _ in 0..<3 { path.measured(roundTrip: .milliseconds(230), at: now) }
        let numbers = Array(share(pictures: 40).suffix(8))
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 1)
        #expect(sender.statistics.retransmissions == 8)
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 1)
        #expect(sender.statistics.retransmissions == 8)
    }

    @Test("what was sent again is not sent once more a hundred packets later: some take that for a new stream")
    mutating func lateCopy() {
        path.measured(roundTrip: .milliseconds(50), at: now)
        for _ in 0..<3 { path.measured(roundTrip: .milliseconds(230), at: now) }
        let numbers = Array(share(pictures: 40).suffix(8))
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 12)
        path.measured(roundTrip: .milliseconds(60), at: now)
        _ = share(pictures: 12)
        #expect(sender.statistics.retransmissions == 8)
        #expect(sender.owed.isEmpty)
    }

    @Test("what was answered is sent once more a tenth of a second later, unasked: a burst may have taken the answer too")
    mutating func unasked() {
        sender.statistics.roundTripTime = .milliseconds(50)
        let numbers = Array(share(pictures: 10).suffix(3))
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 2)
        #expect(sender.statistics.retransmissions == 3)
        _ = share(pictures: 3)
        #expect(sender.statistics.retransmissions == 6)
        _ = share(pictures: 60)
        #expect(sender.statistics.retransmissions == 6)
        #expect(sender.owed.isEmpty)
    }

    /// A report on the packets up to one.
    private mutating func report(lost: Int, of packets: Int, upTo highest: UInt16) {
        sender.oweUnasked((Double(lost * 256 / packets) / 256, packets), upTo: highest, path, at: now)
    }

    @Test("of losses that a report tells of and nobody asked for, all that may be meant is sent again, once")
    mutating func unaskedLosses() {
        sender.statistics.roundTripTime = .milliseconds(50)
        let numbers = share(pictures: 4)
        report(lost: 1, of: 30, upTo: numbers[32])
        _ = share(pictures: 4)
        #expect(sender.statistics.retransmissions == 30)
        _ = share(pictures: 40)
        #expect(sender.statistics.retransmissions == 30)
        #expect(sender.owed.isEmpty)
    }

    @Test("what was asked for is no such loss, and what is asked for meanwhile is all that is missed")
    mutating func askedLosses() {
        sender.statistics.roundTripTime = .milliseconds(50)
        let numbers = share(pictures: 4)
        sender.repair([numbers[10], numbers[11]], path, connected: .milliseconds(50), at: now)
        report(lost: 2, of: 30, upTo: numbers[32])
        #expect(!sender.owed.contains { $0.isGuess })
        report(lost: 3, of: 30, upTo: numbers[32])
        #expect(sender.owed.count { $0.isGuess } == 28)
        sender.repair([numbers[12]], path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 40)
        // Each once more than it was asked for.
        #expect(sender.statistics.retransmissions == 6)
    }

    @Test("nothing is guessed at where that is a hundred packets ago, or very many")
    mutating func lateGuess() {
        let numbers = share(pictures: 40)
        report(lost: 1, of: 30, upTo: numbers[30])
        report(lost: 1, of: 96, upTo: numbers[numbers.count - 1])
        _ = share(pictures: 40)
        #expect(sender.statistics.retransmissions == 0)
        #expect(sender.owed.isEmpty)
    }

    @Test("wakes nobody where there is no budget for it and no pictures follow")
    mutating func refused() {
        let numbers = Array(share(pictures: 40).suffix(120))
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        for _ in 0..<400 {
            while sender.nextPacket(&path, at: now) != nil {}
            now += .milliseconds(1)
        }
        #expect(!sender.owed.isEmpty)
        let due = sender.nextSend(path, at: now)
        #expect(due == nil)
        _ = share(pictures: 60)
        #expect(sender.statistics.retransmissions == 120)
    }

    @Test("is sent by itself where no pictures follow")
    mutating func idle() {
        let numbers = Array(share(pictures: 10).suffix(20))
        fillQueue()
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
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
        sender.repair(numbers, path, connected: .milliseconds(50), at: now)
        _ = share(pictures: 60)
        let before = (repairs: sender.statistics.retransmissions, all: sender.statistics.packetsSent)
        #expect(sender.owed.count > 10)
        path.measured(roundTrip: .milliseconds(60), at: now)
        _ = share(pictures: 1)
        let again = sender.statistics.retransmissions - before.repairs
        #expect(again > 0 && again * 2 <= sender.statistics.packetsSent - before.all)
        sender.dropUnsent()
        #expect(sender.owed.isEmpty)
    }
}
