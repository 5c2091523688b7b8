import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

/// Viewers that show nothing behind a hole, and take what comes late for a new stream.
@Suite("Where nobody knows what has come")
struct LeapTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)
    private var sender: MediaSender
    private var path: PathControl
    private var video = SyntheticVideo()
    private var now = start
    private var keyframes = 0
    private var newest: UInt16 = 0

    init() {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer",
            mid: nil, extensions: ExtensionMap(), bitsPerSecond: 4_000_000, flexFEC: nil)
        let clock = WallClockAnchor(instant: Self.start, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        sender = MediaSender(parameters, wallClock: clock, random: &random, at: Self.start)
        path = PathControl(parameters, random: &random, at: Self.start)
    }

    /// Sends pictures of 10 kB, 30 a second; a keyframe where one is wished for.
    ///
    /// - Returns: the numbers of what left, but for what was sent again.
    private mutating func share(pictures: Int) -> [UInt16] {
        var numbers: [UInt16] = []
        for _ in 0..<pictures {
            let isKeyframe = sender.takeKeyframeWish(path) || keyframes == 0
            keyframes += isKeyframe ? 1 : 0
            sender.enqueue(video.next(keyframe: isKeyframe, size: 10_000, capturedAt: now), at: now)
            for _ in 0..<33 {
                while let packet = sender.nextPacket(&path, at: now) {
                    let header = packet.read { try? RTPPacket($0).header }
                    if let header, header.ssrc == 1 { numbers.append(header.sequenceNumber) }
                }
                now += .milliseconds(1)
            }
        }
        newest = numbers.last ?? newest
        return numbers
    }

    private mutating func measure(_ milliseconds: Int...) {
        for roundTrip in milliseconds { path.measured(roundTrip: .milliseconds(roundTrip), at: now) }
    }

    /// What is missed is answered before a queue that then fills up, and goes.
    ///
    /// - Parameter lost: in 1/256, as a report tells behind that.
    private mutating func loseInQueue(tells lost: UInt8 = 64) {
        measure(50, 230, 230, 230)
        let missed = Array(share(pictures: 40).suffix(8))
        sender.repair(missed, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 1)
        measure(650, 650)
        _ = share(pictures: 14)
        _ = sender.handle(report(newest, lost), at: now)
        measure(60, 60)
    }

    private func report(_ highest: UInt16, _ lost: UInt8) -> ReportBlock {
        ReportBlock(
            ssrc: 1, fractionLost: lost, cumulativeLost: 0, extendedHighestSequenceNumber: UInt32(highest), jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
    }

    private static func leaps(_ numbers: [UInt16]) -> Int {
        zip(numbers, numbers.dropFirst()).count { $1 &- $0 == 1025 }
    }

    @Test("a keyframe begins anew, behind a leap that no viewer waits for")
    mutating func leap() {
        loseInQueue()
        let numbers = share(pictures: 12)
        #expect(Self.leaps(numbers) == 1)
        #expect(keyframes == 2)
        #expect(sender.statistics.retransmissions == 8, "none a second time")
        #expect(Self.leaps(share(pictures: 30)) == 0, "and no more than once")
    }

    @Test("before a queue that had room all the time nothing begins anew")
    mutating func room() {
        measure(50, 230, 230, 230)
        let missed = Array(share(pictures: 40).suffix(8))
        sender.repair(missed, path, checkRoundTrip: .milliseconds(50), at: now)
        _ = share(pictures: 14)
        measure(60, 60)
        #expect(Self.leaps(share(pictures: 30)) == 0)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("who only asks, and tells of no losses, gets no keyframe for it")
    mutating func asksOnly() {
        loseInQueue(tells: 0)
        #expect(Self.leaps(share(pictures: 90)) == 0)
        #expect(keyframes == 1)
        #expect(sender.repairs.owed.isEmpty)
    }

    @Test("the numbers that were left out are neither lost nor sent")
    mutating func leftOut() throws {
        loseInQueue()
        let before = newest
        _ = sender.handle(report(before, 0), at: now)
        let numbers = share(pictures: 12)
        let place = try #require(numbers.indices.dropFirst().first { numbers[$0] &- numbers[$0 - 1] == 1025 })
        let (from, to) = (numbers[place - 1], numbers[place])
        let asked = sender.sinceLeap([from, from &+ 1, to &- 1, to])
        #expect(asked == [to])
        // As a viewer counts that has missed ten packets.
        let last = try #require(numbers.last)
        let sent = Int(last &- before) - 1024
        let withLeap = sender.handle(report(last, UInt8((1034 * 256) / (sent + 1024))), at: now)
        let told = try #require(withLeap)
        #expect(told.packets == sent)
        #expect(told.loss > 0 && told.loss < 20 / Double(sent), "\(told.loss)")
        let rest = share(pictures: 10)
        let later = try #require(rest.last)
        let without = sender.handle(report(later, 128), at: now)
        let next = try #require(without)
        #expect(next.loss == 0.5 && next.packets == Int(later &- last))
    }

    @Test("of leaps that no report ever comes to only the latest are kept")
    mutating func unreported() throws {
        for _ in 0..<1000 {
            sender.isLeaping = true
            sender.leapIfDue()
        }
        let leap = try #require(sender.leap)
        #expect(leap.unreported.count == 64 && leap.unreported.last == leap.next)
    }

    @Test("what was asked for before the leap was seen is not answered behind it, and the next round of numbers is")
    mutating func behind() throws {
        loseInQueue()
        _ = share(pictures: 6)
        let leap = try #require(sender.leap)
        let before = UInt16(truncatingIfNeeded: leap.next - 1030)
        #expect(sender.sinceLeap([before]).isEmpty)
        sender.sequenceNumber += 1 << 16
        #expect(sender.sinceLeap([before]) == [before])
    }
}
