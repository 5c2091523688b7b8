import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Viewers who take little, or ask for much")
struct SlowAndGreedyTests {
    @Test("a keyframe that takes longer than signs of life are apart arrives all the same")
    func slowKeyframe() {
        let (start, lone) = (LoneSender.start, LoneSender(bitsPerSecond: 40_000))
        var (sender, path) = (lone.sender, lone.path)
        var video = SyntheticVideo()
        let keyframe = video.next(keyframe: true, size: 30_000, capturedAt: start)
        sender.enqueue(keyframe, at: start)
        // A packet each 300 ms, which makes eight seconds of it; a sign of life each second.
        var left = 0
        for turn in 0..<60 as Range<Int64> {
            let now = start + .milliseconds(300 * turn)
            if turn % 3 == 2 {
                let life = video.next(keyframe: false, size: 20, capturedAt: now, isReference: false)
                sender.enqueue(life, at: now)
            }
            if sender.nextPacket(&path, at: now) != nil { left += 1 }
        }
        #expect(keyframe.payloads.count > 20)
        #expect(left > keyframe.payloads.count, "\(left) of \(keyframe.payloads.count), and life behind them")
    }

    @Test("a keyframe that takes six seconds arrives though others are sent pictures meanwhile, and another is asked for behind it")
    func keyframeBesideOthers() {
        let start = Instant(nanoseconds: 5_000_000_000)
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
        let parameters = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: nil, canonicalName: "sharer", mid: nil,
            extensions: ExtensionMap(), bitsPerSecond: 20_000)
        let clock = WallClockAnchor(instant: start, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        var sender = MediaSender(parameters, wallClock: clock, random: &random, at: start)
        var path = PathControl(parameters, random: &random, at: start)
        var video = SyntheticVideo()
        var (shown, wishes) = (0, [Int64]())
        var left = [UInt32: Int]()
        var needed = [UInt32: Int]()
        // A packet each 400 ms; pictures for the others ten times a second; whoever asks for a keyframe gets one.
        for turn in 0..<400 as Range<Int64> {
            let now = start + .milliseconds(100 * turn)
            let wish = sender.takeKeyframeWish(path)
            if wish { wishes.append(turn / 10) }
            let unit = video.next(keyframe: wish || turn == 0, size: wish || turn == 0 ? 17_000 : 300, capturedAt: now)
            if unit.isKeyframe { needed[sender.stream.timestamp(unit.mediaTime.ticks)] = unit.payloads.count }
            sender.enqueue(unit, at: now)
            guard turn % 4 == 0, let packet = sender.nextPacket(&path, at: now) else { continue }
            let stamp = packet[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
            left[stamp, default: 0] += 1
            if left[stamp] == needed[stamp] { shown += 1 }
        }
        #expect(shown >= 5, "keyframes that left whole, of \(needed.count)")
        #expect(wishes.count <= shown + 1, "none is asked for while one is under way: \(wishes)")
    }

    /// A picture that comes, and the number of its last packet.
    private func show(on pair: inout PeerPair) throws -> UInt16 {
        pair.run(for: .seconds(1))
        var video = SyntheticVideo()
        pair.send(video.next(keyframe: true, size: 3000, capturedAt: pair.now))
        pair.run(for: .milliseconds(50))
        let sent = try #require(pair.sharerDatagrams.last { $0.count > 500 && $0[1] & 0x7f == 102 })
        return UInt16(sent[2]) << 8 | UInt16(sent[3])
    }

    @Test("what a viewer misses of another encoder's pictures it is sent when it asks: some show nothing behind a gap")
    func behindAChangeOfLanes() throws {
        var pair = PeerPair(seed: 8)
        let sent = try show(on: &pair)
        pair.sharer.changeLane()
        var bytes: [UInt8] = []
        GenericNACK(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA, missing: [sent])
            .append(to: &bytes)
        pair.receiveAtSharer(rtcp: bytes, number: 1)
        pair.run(for: .milliseconds(5))
        #expect(pair.sharer.statistics.outgoing?.retransmissions == 1)
        // What a pause hides is not sent again.
        pair.sharer.forgetPictures()
        pair.run(for: .seconds(1))
        pair.receiveAtSharer(rtcp: bytes, number: 2)
        pair.run(for: .milliseconds(5))
        #expect(pair.sharer.statistics.outgoing?.retransmissions == 1)
    }

    @Test("what left four seconds ago is sent again to who tells nothing of single packets, and not to who does", arguments: [
        PathFeedback.none, .transportWide, .perStream,
    ])
    func old(feedback: PathFeedback) throws {
        var pair = PeerPair(seed: 8, feedback: feedback)
        let sent = try show(on: &pair)
        pair.run(for: .seconds(3))
        _ = try show(on: &pair)
        var bytes: [UInt8] = []
        GenericNACK(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA, missing: [sent])
            .append(to: &bytes)
        pair.receiveAtSharer(rtcp: bytes, number: 1)
        pair.run(for: .milliseconds(5))
        #expect(pair.sharer.statistics.outgoing?.retransmissions == (feedback == .none ? 1 : 0))
    }

    @Test("a request for another stream than the pictures', as some make for what was sent again, sends no picture again")
    func otherStream() throws {
        var pair = PeerPair(seed: 8)
        let sent = try show(on: &pair)
        for (number, ssrc) in [(1, 0xBBBB), (2, 0xAAAA)] as [(UInt32, UInt32)] {
            var bytes: [UInt8] = []
            GenericNACK(senderSSRC: 0xCCCC, mediaSSRC: ssrc, missing: [sent])
                .append(to: &bytes)
            pair.receiveAtSharer(rtcp: bytes, number: number)
            pair.run(for: .milliseconds(5))
            #expect(pair.sharer.statistics.outgoing?.retransmissions == (ssrc == 0xAAAA ? 1 : 0))
        }
    }

    @Test("who asks for more packets than any path carries is looked at for so many a second, and no more")
    func greed() throws {
        var pair = PeerPair(seed: 8)
        pair.run(for: .seconds(1))
        let areConnected = pair.bothAreConnected
        #expect(areConnected)
        var video = SyntheticVideo()
        var number: UInt32 = 0
        func ask(_ numbers: [UInt16]) {
            var bytes: [UInt8] = []
            GenericNACK(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA, missing: numbers).append(to: &bytes)
            number += 1
            pair.receiveAtSharer(rtcp: bytes, number: number)
        }
        /// Of a picture sent now, whether its last packet is sent again when it is asked for.
        func isHeard() throws -> Bool {
            pair.send(video.next(keyframe: true, size: 3000, capturedAt: pair.now))
            pair.run(for: .milliseconds(50))
            let sent = try #require(pair.sharerDatagrams.last { $0.count > 500 && $0[1] & 0x7f == 102 })
            let before = pair.sharer.statistics.outgoing?.retransmissions ?? 0
            ask([UInt16(sent[2]) << 8 | UInt16(sent[3])])
            pair.run(for: .milliseconds(5))
            return pair.sharer.statistics.outgoing?.retransmissions ?? 0 > before
        }
        #expect(try isHeard())
        // Far from what was sent.
        for _ in 0..<200 { ask((0..<1000).map { 40_000 &+ $0 }) }
        let lookedAt = pair.sharer.statistics.outgoing?.packetsReportedMissing ?? 0
        #expect((40_000...50_001).contains(lookedAt), "\(lookedAt) of 200,000")
        pair.run(for: .seconds(1))
        #expect(try isHeard())
    }

    @Test("requests for a single packet are no cheaper way to keep a sharer busy: 3000 of them are looked at in a second")
    func smallRequests() {
        var pair = PeerPair(seed: 8, takesFlexFEC: false)
        pair.run(for: .seconds(1))
        for number in 0..<20_000 as Range<UInt32> {
            var bytes: [UInt8] = []
            GenericNACK(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA, missing: [UInt16(number)]).append(to: &bytes)
            pair.receiveAtSharer(rtcp: bytes, number: number + 1)
        }
        let lookedAt = pair.sharer.statistics.outgoing?.packetsReportedMissing ?? 0
        #expect((2500...3000).contains(lookedAt), "\(lookedAt) of 20,000")
    }

    @Test("a repair that a change of lanes took back before it left is sent when it is asked for again")
    func takenBack() throws {
        let lone = LoneSender(bitsPerSecond: 1_000_000, isRepaired: true)
        var (sender, path) = (lone.sender, lone.path)
        var video = SyntheticVideo()
        var now = Instant(nanoseconds: 5_000_000_000)
        sender.enqueue(video.next(keyframe: true, size: 800, capturedAt: now), at: now)
        let packet = try #require(sender.nextPacket(&path, at: now))
        let number = UInt16(packet[2]) << 8 | UInt16(packet[3])
        now += .milliseconds(100)
        sender.repair([number], path, checkRoundTrip: nil, at: now)
        sender.dropUnsent()
        now += .milliseconds(100)
        #expect(sender.nextPacket(&path, at: now) == nil)
        sender.repair([number], path, checkRoundTrip: nil, at: now)
        let repair = try #require(sender.nextPacket(&path, at: now))
        #expect(repair[1] & 0x7f == 103)
    }

    @Test("a picture of a moment that was shown already is dated behind it: timestamps never go back")
    func inOrder() throws {
        let lone = LoneSender(bitsPerSecond: 1_000_000, isRepaired: true)
        var (sender, path) = (lone.sender, lone.path)
        var video = SyntheticVideo()
        let now = Instant(nanoseconds: 5_000_000_000)
        let first = video.next(keyframe: true, size: 800, capturedAt: now)
        let second = video.next(keyframe: true, size: 800, capturedAt: now)
        var stamps: [UInt32] = []
        for unit in [first, second.retimed(first.mediaTime, capturedAt: now), second] {
            sender.enqueue(unit, at: now)
            let packet = try #require(sender.nextPacket(&path, at: now + .milliseconds(50 * Int64(stamps.count))))
            stamps.append(packet[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
        }
        let last = sender.stream.timestamp(second.mediaTime.ticks)
        #expect(stamps[1] &- stamps[0] == 1 && stamps[2] &- stamps[0] == last &- stamps[0])
    }
}
