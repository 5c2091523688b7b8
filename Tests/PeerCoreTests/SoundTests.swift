import Datagrams
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

/// Sends 20 ms of sound after the other from one peer to the other.
struct SoundShare: ~Copyable {
    var pair: PeerPair
    private(set) var sent = 0
    /// Of a packet: 96 kbit/s.
    var bytes = 240
    var isSilent: (_ packet: Int) -> Bool = { _ in false }
    /// How long ago it was heard when it leaves.
    var age = Duration.milliseconds(30)

    init(
        seed: UInt64, loss: Double = 0, red: Bool = true, maximumBitrate: Int? = nil,
        feedback: PathFeedback = .transportWide
    ) {
        var conditions = LinkConditions()
        conditions.loss = loss
        pair = PeerPair(
            seed: seed, conditions: conditions, feedback: feedback,
            sound: AudioSendParameters(
                payloadType: 111, redundancyPayloadType: red ? 63 : nil, maximumBitrate: maximumBitrate, ssrc: 0xDDDD,
                canonicalName: "sharer", mid: "1", extensions: PeerPair.extensions(feedback)))
        pair.run(for: .seconds(2))
    }

    /// Full-band CELT, one frame; the packet's number in its bytes, and 1 behind it in the careful lane.
    private func encoding(_ packet: Int, _ lane: AudioLane) -> AudioUnit.Encoding {
        var bytes: [UInt8] = [31 << 3]
        bytes.append(u32: UInt32(packet))
        bytes += [UInt8](repeating: lane == .careful ? 1 : 0, count: max(0, self.bytes - 5))
        return AudioUnit.Encoding(bytes: bytes, isSilent: isSilent(packet))
    }

    private mutating func next(_ lanes: [AudioLane]) -> AudioUnit {
        var encodings = AudioUnit.Encodings()
        for lane in lanes { encodings[lane] = encoding(sent, lane) }
        defer { sent += 1 }
        return AudioUnit(encodings, time: AudioTime(ticks: Int64(sent) * 960), capturedAt: pair.now - age)
    }

    mutating func run(packets: Int, lanes: [AudioLane] = [.full]) {
        for _ in 0..<packets {
            let unit = next(lanes)
            pair.send(unit)
            pair.run(for: .milliseconds(20))
        }
    }

    /// Hands over what does not leave yet.
    mutating func enqueue(packets: Int) {
        for _ in 0..<packets {
            let unit = next([.full])
            pair.sharer.send(unit, at: pair.now)
        }
    }

    static func number(_ bytes: [UInt8]) -> Int? { bytes.read { $0.u32(at: 1) }.map(Int.init) }

    var losses: [Double] {
        pair.sharerEvents.compactMap { event in
            if case .losesAudio(let share) = event { share } else { nil }
        }
    }
}

@Suite("Sound between two peers over a simulated link")
struct SoundTests {
    @Test("on a clean link every packet arrives once, in order, with its time and its moment of capture")
    func clean() throws {
        var share = SoundShare(seed: 1)
        share.run(packets: 500)
        share.pair.run(for: .milliseconds(200))
        let heard = share.pair.heard
        let numbers = heard.compactMap { SoundShare.number($0.bytes) }
        #expect(numbers == Array(0..<500))
        let first = try #require(heard.first)
        let times = zip(heard, numbers).map { $0.timestamp - first.timestamp - Int64($1) * 960 }
        #expect(times.allSatisfy { $0 == 0 })
        let anchor = try #require(heard.last?.capturedAt)
        let stamps = zip(heard, numbers).compactMap { packet, number in
            packet.capturedAt.map { anchor.duration(since: $0) - .milliseconds(20 * (499 - number)) }
        }
        // The first packet has a report right behind it.
        #expect(stamps.count > 495 && stamps.allSatisfy { abs($0.inMilliseconds) < 1 })
        #expect(heard.allSatisfy { $0.copies.isEmpty })
    }

    @Test("what is silent is not sent, and nothing counts as lost")
    func silence() {
        var share = SoundShare(seed: 2)
        share.isSilent = { $0 >= 100 && $0 < 200 }
        share.run(packets: 300)
        share.pair.run(for: .milliseconds(200))
        let numbers = share.pair.heard.compactMap { SoundShare.number($0.bytes) }
        #expect(numbers == Array(0..<100) + Array(200..<300))
        let sequence = share.pair.heard.map(\.sequenceNumber)
        #expect(zip(sequence, sequence.dropFirst()).allSatisfy { $1 == $0 + 1 })
        let sent = share.pair.sharerDatagrams.compactMap { datagram in datagram.read { try? RTPPacket($0) }?.header }
            .filter { $0.payloadType == 111 }
        #expect(sent.count == 200)
        let marked = sent.indices.filter { sent[$0].marker }
        #expect(marked == [0, 100], "what is heard first, and first again")
    }

    @Test("who ends a share says goodbye for its pictures and for its sound")
    func goodbye() {
        var share = SoundShare(seed: 10)
        share.run(packets: 10)
        let before = share.pair.sharerDatagrams.count
        share.pair.sharer.close(at: share.pair.now)
        share.pair.drain()
        var ended: [[UInt32]] = []
        for datagram in share.pair.sharerDatagrams[before...] where datagram.read(DatagramKind.init) == .rtcp {
            // Without its protection.
            let packets = Array(datagram.dropLast(8)).read { (try? RTCPPacket.packets($0)) ?? [] }
            for case .goodbye(let goodbye) in packets { ended.append(goodbye.ssrcs) }
        }
        #expect(ended == [[0xAAAA, 0xDDDD]])
    }

    @Test("of 10 % that get lost at random, copies leave at most 1 % to be guessed (seeds 3 to 5)", arguments: 3...5)
    func copies(seed: UInt64) {
        var share = SoundShare(seed: seed, loss: 0.1)
        share.run(packets: 3000)
        share.pair.run(for: .milliseconds(200))
        var playout = AudioPlayout()
        for packet in share.pair.heard {
            while playout.due.map({ $0 <= packet.receivedAt }) == true { _ = playout.pull(at: packet.receivedAt) }
            playout.receive(
                packet.bytes, copies: packet.copies, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
                at: packet.receivedAt)
        }
        let concealed = playout.statistics.concealedShare
        #expect(concealed < 0.01, "\(concealed)")
        #expect(Double(share.pair.heard.count) < 2850)
        #expect(share.losses.isEmpty)
    }

    @Test("a viewer who takes no copies is said to lose sound, and to lose none once the network is well")
    func withoutCopies() throws {
        // What is told is of some seconds, whose losses scatter: the middle of three runs.
        let told = try [UInt64](6...8).map { seed in
            var share = SoundShare(seed: seed, loss: 0.1, red: false)
            share.run(packets: 1000)
            let loss = try #require(share.losses.last)
            share.pair.link.conditions.loss = 0.3
            share.run(packets: 1000)
            let more = try #require(share.losses.last)
            share.pair.link.conditions.loss = 0
            share.run(packets: 2500)
            #expect(share.losses.last == 0)
            #expect(share.pair.heard.allSatisfy { $0.copies.isEmpty })
            return (loss, more)
        }
        let (loss, more) = (told.map(\.0).sorted()[1], told.map(\.1).sorted()[1])
        #expect((0.04...0.17).contains(loss), "\(told)")
        #expect((0.2...0.4).contains(more), "\(told)")
    }

    @Test("a viewer whose limit leaves no room for copies is said to lose sound as well")
    func withoutRoom() throws {
        var share = SoundShare(seed: 9, loss: 0.1, maximumBitrate: 100_000)
        share.run(packets: 1000)
        let loss = try #require(share.losses.last)
        #expect((0.04...0.17).contains(loss), "\(loss)")
        #expect(share.pair.heard.allSatisfy { $0.copies.isEmpty })
    }

    @Test("a viewer gets the encoding of its lane, and the only one there is where that is missing")
    func lanes() {
        var share = SoundShare(seed: 7)
        share.run(packets: 10, lanes: [.full, .careful])
        share.pair.sharer.setAudioLane(.careful)
        share.run(packets: 10, lanes: [.full, .careful])
        share.run(packets: 10, lanes: [.full])
        share.pair.run(for: .milliseconds(200))
        let careful = share.pair.heard.map { $0.bytes.last == 1 }
        #expect(careful == Array(repeating: false, count: 10) + Array(repeating: true, count: 10)
            + Array(repeating: false, count: 10))
    }

    @Test("copies keep to what the viewer takes")
    func budget() throws {
        var share = SoundShare(seed: 8, loss: 0.15, maximumBitrate: 100_000)
        share.run(packets: 1000)
        #expect(share.pair.heard.allSatisfy { $0.copies.isEmpty })
        share.bytes = 100
        share.run(packets: 500)
        #expect(share.pair.heard.suffix(100).contains { $0.copies.count == 1 })
        #expect(share.pair.heard.allSatisfy { $0.copies.count <= 1 })
    }
}
