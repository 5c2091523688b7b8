import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

/// A sharer's side of repair alone, with a round trip of 200 ms: what leaves, and when.
@Suite("What a sharer sends again")
struct RepairTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)
    private static let roundTrip = Duration.milliseconds(200)
    private var sender: MediaSender
    private var path: PathControl

    init() { (sender, path) = Self.make(bitsPerSecond: 4_000_000) }

    private static func make(bitsPerSecond: Int) -> (MediaSender, PathControl) {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer",
            mid: nil, extensions: ExtensionMap(), bitsPerSecond: bitsPerSecond)
        let clock = WallClockAnchor(instant: Self.start, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        let sender = MediaSender(parameters, wallClock: clock, random: &random, at: start)
        return (sender, PathControl(parameters, random: &random, at: start))
    }

    /// Sends a picture, and gives the numbers of its packets.
    private mutating func share(bytes: Int) -> [UInt16] {
        var video = SyntheticVideo()
        let first = UInt16(truncatingIfNeeded: sender.sequenceNumber)
        sender.enqueue(video.next(keyframe: true, size: bytes, capturedAt: Self.start), at: Self.start)
        for time in 0..<100 as Range<Int64> {
            while sender.nextPacket(&path, at: Self.start + .milliseconds(time)) != nil {}
        }
        return (0..<UInt16(truncatingIfNeeded: sender.sequenceNumber) &- first).map { first &+ $0 }
    }

    /// How many packets leave for a request that comes so much later.
    private mutating func answer(
        _ numbers: [UInt16], after milliseconds: Int64, roundTrip: Duration = Self.roundTrip
    ) -> Int {
        let now = Self.start + .milliseconds(100 + milliseconds)
        sender.repair(numbers, path, checkRoundTrip: roundTrip, at: now)
        var count = 0
        for time in 0..<8 as Range<Int64> {
            while sender.nextPacket(&path, at: now + .milliseconds(time)) != nil { count += 1 }
        }
        return count
    }

    @Test("copies of a request, and one that comes well within a round trip, are one request")
    mutating func copies() {
        let numbers = share(bytes: 20_000)
        #expect(numbers.count > 10)
        #expect(answer([numbers[3]], after: 0) == 1)
        for time in [8, 16, 80] as [Int64] { #expect(answer([numbers[3]], after: time) == 0, "\(time) ms") }
        #expect(answer([numbers[4]], after: 90) == 1, "another packet is another request")
        #expect(answer([numbers[3]], after: 170) == 0)
    }

    @Test("what waits here to be sent again is not put there once more, however often it is asked for")
    mutating func waiting() {
        let numbers = Array(share(bytes: 30_000).prefix(20))
        for time in [0, 201, 402, 603] as [Int64] {
            sender.repair(numbers, path, checkRoundTrip: Self.roundTrip, at: Self.start + .milliseconds(100 + time))
        }
        #expect(answer([], after: 700) == 20)
    }

    @Test("what is missed so late that a second round would be a freeze is sent with a copy")
    mutating func late() {
        let numbers = share(bytes: 20_000)
        #expect(answer([numbers[3]], after: 50) == 1)
        #expect(answer([numbers[4]], after: 200) == 1, "nothing is told of losses")
        tellLosses(at: 210)
        #expect(answer([numbers[5]], after: 220) == 2)
    }

    private mutating func tellLosses(at milliseconds: Int64) {
        let told = ReportBlock(
            ssrc: 1, fractionLost: 10, cumulativeLost: 20, extendedHighestSequenceNumber: 0, jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        _ = sender.handle(told, at: Self.start + .milliseconds(100 + milliseconds))
    }

    @Test("a second one 24 ms short of a round trip is believed, and where it came after a whole one, copies go along")
    mutating func second() {
        let numbers = share(bytes: 20_000)
        #expect(answer([numbers[3]], after: 0) == 1)
        #expect(answer([numbers[3]], after: 180) == 1)
        #expect(answer([numbers[3]], after: 180 + 200) == 1 + Limits.copiesOfRepeated)
    }

    @Test("what was never sent is not sent again")
    mutating func unknown() {
        let numbers = share(bytes: 20_000)
        #expect(answer([numbers[0] &- 1, (numbers.last ?? 0) &+ 1], after: 0) == 0)
    }

    @Test("what gets lost in a row is sent once more, 12 ms behind; what gets lost alone is not")
    mutating func bursts() {
        let numbers = share(bytes: 200_000)
        guard numbers.count > 60 else { return #expect(Bool(false), "\(numbers.count) packets") }
        let way = Duration.seconds(1)
        for single in 0..<8 { #expect(answer([numbers[2 * single]], after: Int64(single) * 20, roundTrip: way) == 1) }
        for burst in 4..<9 {
            _ = answer(Array(numbers[5 * burst..<5 * burst + 4]), after: Int64(burst) * 50, roundTrip: way)
        }
        #expect(answer(Array(numbers[45..<49]), after: 450, roundTrip: way) == 4)
        #expect(answer([], after: 480) == 0, "nothing is told of losses: who asks for much is not sent it twice")
        tellLosses(at: 490)
        #expect(answer(Array(numbers[50..<54]), after: 500, roundTrip: way) == 4)
        var later: [Int64] = []
        for time in 8..<40 as Range<Int64> {
            while sender.nextPacket(&path, at: Self.start + .milliseconds(600 + time)) != nil { later.append(time) }
        }
        #expect(later.count == 4 && later.allSatisfy { (12...16).contains($0) }, "\(later)")
        // Copies of many would hold up what follows them.
        #expect(answer(Array(numbers[54...].prefix(6)), after: 550, roundTrip: way) == 6)
        #expect(answer([], after: 570, roundTrip: way) == 0)
    }

    @Test("on a narrow link two in a row are sent once more as well")
    mutating func narrowBursts() {
        (sender, path) = Self.make(bitsPerSecond: 800_000)
        let numbers = share(bytes: 8_000)
        for first in 0..<12 as Range<UInt16> { sender.repairs.lossRuns.note([10 * first, 10 * first + 1, 10 * first + 2]) }
        tellLosses(at: 0)
        #expect(answer([numbers[1], numbers[2]], after: 10, roundTrip: .seconds(1)) == 2)
        #expect(answer([], after: 24, roundTrip: .seconds(1)) == 2)
    }

    @Test("all together it is no more than the budget of a quarter allows")
    mutating func budget() {
        let numbers = share(bytes: 200_000)
        let sent = sender.statistics.bytesSent
        for round in 0..<40 as Range<Int64> { _ = answer(numbers, after: round * 250) }
        // Sixteen packets before there was any, and a quarter of what was sent; headers come on top.
        let most = (20_000 + sent / 4) * 21 / 20
        #expect((most * 3 / 4...most).contains(sender.statistics.bytesRepaired), "\(sender.statistics)")
    }
}

/// The same with a viewer that tells of every packet.
@Suite("What a sharer sends again that is told what came")
struct ToldRepairTests {
    private var roundTrip = Duration.milliseconds(50)
    private static let received = ReceiveParameters(
        payloadTypes: [102], retransmissionPayloadTypes: [103], extensions: PeerPair.extensions, ssrc: 9,
        canonicalName: "viewer")
    private var sender: MediaSender
    private var path: PathControl
    private var reporter = FeedbackReporter(tellsTwice: true)
    private var video = SyntheticVideo()
    private var now = Instant(nanoseconds: 5_000_000_000)

    init() {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer",
            mid: nil, extensions: PeerPair.extensions, bitsPerSecond: 4_000_000, givesTransportFeedback: true,
            flexFEC: .init(payloadType: 104, ssrc: 3))
        let clock = WallClockAnchor(instant: now, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        sender = MediaSender(parameters, wallClock: clock, random: &random, at: now)
        path = PathControl(parameters, random: &random, at: now)
    }

    /// Sends a small picture; its packets' numbers.
    private mutating func share(keyframe: Bool = false, losing lost: Set<Int> = []) -> [UInt16] {
        let first = UInt16(truncatingIfNeeded: sender.sequenceNumber)
        sender.enqueue(video.next(keyframe: keyframe, size: 3000, capturedAt: now), at: now)
        let count = leave(losing: lost)
        return (0..<UInt16(count)).map { first &+ $0 }
    }

    /// How many packets leave within some milliseconds; those that are not lost reach the viewer.
    @discardableResult
    private mutating func leave(for milliseconds: Int = 8, losing lost: Set<Int> = []) -> Int {
        var count = 0
        for _ in 0..<milliseconds {
            while let packet = sender.nextPacket(&path, at: now) {
                path.sent(packet, .video, at: now)
                if !lost.contains(count) {
                    reporter.receive(packet, .notCapable, Self.received, at: now + roundTrip / 2)
                }
                count += 1
            }
            now += .milliseconds(1)
        }
        return count
    }

    /// What the viewer has to tell comes back.
    private mutating func hear() {
        now += max(roundTrip, .milliseconds(20))
        let datagrams = reporter.makeFeedback(senderSSRC: 9, ntp: NTPTimestamp(bits: 0), at: now)
        for case .transportFeedback(let feedback) in datagrams.flatMap({ $0.read { (try? RTCPPacket.packets($0)) ?? [] } }) {
            _ = path.receive(feedback, at: now)
        }
    }

    /// Asks for a packet; how many leave for it.
    private mutating func ask(for number: UInt16, losing lost: Set<Int> = []) -> Int {
        sender.repair([number], path, checkRoundTrip: .milliseconds(400), at: now)
        return leave(losing: lost)
    }

    @Test("a packet that is known to have been lost once more is sent again at once, not after a round trip")
    mutating func lostAgain() throws {
        let numbers = share(keyframe: true, losing: [1])
        try #require(numbers.count > 2)
        hear()
        #expect(ask(for: numbers[1], losing: [0]) == 1)
        #expect(ask(for: numbers[1]) == 0)
        _ = share()
        #expect(ask(for: numbers[1]) == 0, "nothing is told of it yet")
        hear()
        #expect(ask(for: numbers[1]) >= 1)
        hear()
        #expect(ask(for: numbers[1]) == 0, "that one came")
    }

    @Test("what is asked for after a round trip of three seconds is still there")
    mutating func farAway() throws {
        roundTrip = .seconds(3)
        _ = share(keyframe: true)
        hear()
        let numbers = share(losing: [1])
        try #require(numbers.count > 2)
        hear()
        _ = ask(for: numbers[1])
        #expect(sender.statistics.retransmissions > 0)
    }

    @Test("who asks all the time is not answered all the time where reports take longer than a round trip")
    mutating func shortRoundTrip() throws {
        roundTrip = .milliseconds(2)
        for first in 0..<12 as Range<UInt16> { sender.repairs.lossRuns.note([10 * first, 10 * first + 1, 10 * first + 2]) }
        let numbers = share(keyframe: true, losing: [1])
        hear()
        var rounds = 0
        for _ in 0..<8 {
            sender.repair([numbers[1]], path, checkRoundTrip: roundTrip, at: now)
            if leave(for: 3) > 0 { rounds += 1 }
        }
        #expect((1...2).contains(rounds), "\(rounds)")
    }
}
