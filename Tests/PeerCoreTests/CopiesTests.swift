import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Copies of sound, and what they take of the path")
struct CopiesTests {
    /// Packets of 240 bytes, 96 kbit/s, and the path that they take.
    private struct Sound {
        var sender: AudioSender
        var path: PathControl
        private var packets: Int64 = 0

        init(redundancy: UInt8? = 63, over bitsPerSecond: Int = 4_000_000) {
            var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 1)
            let parameters = AudioSendParameters(
                payloadType: 111, redundancyPayloadType: redundancy, ssrc: 2, canonicalName: "sharer", mid: "1",
                extensions: ExtensionMap())
            sender = AudioSender(parameters, wallClock: LoneSender.clock, random: &random, at: LoneSender.start)
            path = LoneSender(bitsPerSecond: bitsPerSecond).path
        }

        private var now: Instant { LoneSender.start + .milliseconds(20 * packets) }

        /// - Returns: how many copies went with each.
        @discardableResult
        mutating func send(_ count: Int) -> [Int] {
            var copies: [Int] = []
            for _ in 0..<count {
                let time = now
                sender.enqueue(
                    AudioUnit(
                        AudioUnit.Encodings(full: .init(bytes: [UInt8](repeating: 1, count: 240), isSilent: false)),
                        time: AudioTime(ticks: 960 * packets), capturedAt: time))
                packets += 1
                while let packet = sender.nextPacket(&path, at: time) { copies.append(Self.copies(in: packet)) }
            }
            return copies
        }

        /// Each has a header of four bytes before that of the packet itself, which has one (RFC 2198 § 3).
        private static func copies(in packet: [UInt8]) -> Int {
            guard packet[1] & 0x7f == 63 else { return 0 }
            return stride(from: 12, to: packet.count, by: 4).prefix { packet[$0] & 0x80 != 0 }.count
        }

        /// The viewer tells of a tenth lost, once a second.
        mutating func loseATenth() {
            for report in 1...3 {
                let time = now
                _ = sender.handle(
                    ReportBlock(
                        ssrc: 2, fractionLost: 26, cumulativeLost: 0, extendedHighestSequenceNumber: UInt32(50 * report),
                        jitter: 0, lastSenderReport: 0, delaySinceLastSenderReport: 0),
                    at: time)
                send(50)
            }
        }

        /// Twice, for one of a queue may be late by itself.
        mutating func measure(roundTrip: Duration) {
            let time = now
            for _ in 0..<2 { path.measured(roundTrip: roundTrip, at: time) }
        }
    }

    @Test("of sound that could not leave, the newest fifth of a second does")
    func late() {
        var sound = Sound()
        sound.send(1)
        let packet = AudioUnit.Encodings(full: .init(bytes: [UInt8](repeating: 1, count: 240), isSilent: false))
        for index in 1...50 as ClosedRange<Int64> {
            sound.sender.enqueue(AudioUnit(packet, time: AudioTime(ticks: 960 * index), capturedAt: LoneSender.start))
        }
        var count = 0
        while sound.sender.nextPacket(&sound.path, at: LoneSender.start + .seconds(1)) != nil { count += 1 }
        #expect(count == 10)
    }

    /// What sound is said to take before and after a viewer has told of losses.
    private func rates(redundancy: UInt8?) -> (before: Int, after: Int) {
        var sound = Sound(redundancy: redundancy)
        sound.send(50)
        let before = sound.sender.bitsPerSecond
        sound.loseATenth()
        return (before, sound.sender.bitsPerSecond)
    }

    @Test("are counted where they are sent, and not where the viewer takes none")
    func counted() {
        let (plain, with) = (rates(redundancy: nil), rates(redundancy: 63))
        // The mean of their sizes settles.
        #expect(abs(plain.after - plain.before) * 10 < plain.before)
        #expect(with.before == plain.before && with.after > with.before * 3 / 2)
    }

    @Test("take nothing of it, as the sound does, once no more of that comes; of silence that is not known")
    func ended() {
        var sound = Sound()
        sound.send(50)
        let before = sound.sender.bitsPerSecond
        sound.sender.forget()
        let paused = sound.sender.bitsPerSecond
        sound.sender.end()
        #expect(before > 0 && paused == before && sound.sender.bitsPerSecond == 0)
    }

    @Test(
        "take no more than half of the path with the sound itself",
        arguments: [(100_000, 0), (250_000, 0), (400_000, 1), (600_000, 2), (4_000_000, 2)])
    func room(bitsPerSecond: Int, copies: Int) {
        var sound = Sound(over: bitsPerSecond)
        sound.send(50)
        sound.loseATenth()
        let sent = sound.send(10)
        #expect(sent == Array(repeating: copies, count: 10))
    }

    @Test("are not sent into a queue of a path that hardly takes more than sound: it is what loses packets there")
    func narrow() {
        var sound = Sound()
        sound.send(50)
        sound.loseATenth()
        sound.measure(roundTrip: .milliseconds(20))
        sound.measure(roundTrip: .milliseconds(300))
        let wide = sound.send(10)
        sound.sender.lane = .narrow
        let queued = sound.send(10)
        sound.measure(roundTrip: .milliseconds(20))
        let free = sound.send(10)
        #expect(wide == Array(repeating: 2, count: 10) && queued == Array(repeating: 0, count: 10) && free == wide)
    }
}
