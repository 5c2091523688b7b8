import AudioCodec
import Media
import RTP
import TestSupport
import Testing
import Timebase

@Suite("Opus encoder")
struct OpusEncoderTests {
    private func target(_ bitsPerSecond: Int, _ change: (inout OpusTarget) -> Void = { _ in }) -> OpusTarget {
        var target = OpusTarget(bitsPerSecond: bitsPerSecond)
        change(&target)
        return target
    }

    @Test("a tone on each side comes back on its side, as loud and as high", arguments: [48_000, 96_000, 160_000])
    func tones(bitsPerSecond: Int) throws {
        var (left, right) = (Tone(440, level: -6), Tone(3000, level: -12))
        var coding = try Coding(target(bitsPerSecond))
        let pairs = zip(left.next(48_000, channels: 1), right.next(48_000, channels: 1))
        try coding.encode(pairs.flatMap { [$0, $1] })
        let decoded = try coding.decoded()
        let onLeft = ToneAnalysis(decoded, channel: 0).part(from: 0.4, 0.5)
        let onRight = ToneAnalysis(decoded, channel: 1).part(from: 0.4, 0.5)
        #expect(abs(onLeft.level(of: 440) + 6) < 0.5 && abs(onRight.level(of: 3000) + 12) < 0.5)
        #expect(onLeft.level(of: 3000) < -35 && onRight.level(of: 440) < -35)
    }

    @Test("the decoded sound trails by the look-ahead it tells", arguments: OpusConfiguration.PacketDuration.allCases)
    func lookahead(packetDuration: OpusConfiguration.PacketDuration) throws {
        // The low tone tells the delay roughly, because the encoder filters out what is lower still; the high one,
        // within its period of 48 frames, exactly.
        for (frequency, period, tolerance) in [(100.0, 480, 4.0), (1000, 48, 0.3)] {
            var tone = Tone(frequency, level: -6)
            var coding = try Coding(target(128_000), packetDuration)
            try coding.encode(&tone, packets: 1000 / packetDuration.rawValue)
            let lag = ToneAnalysis(try coding.decoded()).part(from: 0.4, 0.5).lag(of: frequency)
            #expect(abs(lag - Double(coding.encoder.lookaheadFrames % period)) < tolerance)
            #expect(coding.encoder.lookahead == .microseconds(6500))
        }
    }

    @Test("a packet holds as much as was asked for", arguments: OpusConfiguration.PacketDuration.allCases)
    func durations(packetDuration: OpusConfiguration.PacketDuration) throws {
        var tone = Tone(1000, level: -10)
        var coding = try Coding(target(96_000), packetDuration)
        try coding.encode(&tone, packets: 20)
        #expect(coding.packets.count == 20)
        for packet in coding.packets {
            #expect(try OpusPacket(packet.bytes).duration == packetDuration.duration)
        }
    }

    @Test("the bit rate follows the target from packet to packet")
    func bitRate() throws {
        var coding = try Coding(target(32_000))
        for rate in [32_000, 128_000, 64_000] {
            try coding.encoder.adapt(to: target(rate))
            let before = coding.packets.count
            try coding.encode(chords(frames: 100 * 960))
            #expect(abs(coding.rate(of: before..<before + 100) / Double(rate) - 1) < 0.15)
        }
    }

    @Test(
        "a bit rate that falls leaves no gap, and is there within a tenth of a second",
        arguments: [(96_000, 24_000), (64_000, 32_000), (96_000, 32_000), (48_000, 24_000), (320_000, 24_000)])
    func fallingBitRate(from: Int, to: Int) throws {
        var tone = Tone(440, level: -6)
        var coding = try Coding(target(from))
        try coding.encode(&tone, packets: 50)
        let usual = coding.packets[40..<50].map(\.bytes.count).reduce(0, +) / 10
        try coding.encoder.adapt(to: target(to))
        try coding.encode(&tone, packets: 100)
        let after = coding.packets[50...].map(\.bytes.count)
        #expect(after.min() ?? 0 > 15, "\(after)")
        #expect(after[8...].allSatisfy { $0 < usual }, "\(after)")
        #expect(abs(coding.rate(of: 58..<150) / Double(to) - 1) < 0.15)
        #expect(try quietest(coding.decoded(), from: 20 * 960) > 0.25, "a sine's is 0.35")
    }

    /// The root mean square of the quietest 5 ms on the left.
    private func quietest(_ samples: [Float], from frame: Int) -> Float {
        var least = Float.infinity
        for first in stride(from: frame, through: samples.count / 2 - 240, by: 120) {
            var sum: Float = 0
            for index in first..<first + 240 { sum += samples[2 * index] * samples[2 * index] }
            least = min(least, sum / 240)
        }
        return least.squareRoot()
    }

    @Test("who changes over to an encoding that begins hears no gap", arguments: [24_000, 48_000, 64_000])
    func continued(bitsPerSecond: Int) throws {
        var tone = Tone(440, level: -6)
        let first = try OpusEncoder(OpusConfiguration(), target: target(96_000))
        var packets: [[UInt8]] = []
        for _ in 0..<50 { packets.append(try first.encode(tone.next(960)).bytes) }
        let second = try first.continued(at: target(bitsPerSecond) { $0.channels = bitsPerSecond < 32_000 ? .mono : .stereo })
        for _ in 0..<50 {
            let samples = tone.next(960)
            packets.append(try second.encode(samples).bytes)
            // Whoever stays is not disturbed.
            #expect(try first.encode(samples).bytes.count > 100)
        }
        let decoder = try OpusDecoder()
        let decoded = try packets.flatMap { try decoder.decode($0) }
        #expect(quietest(decoded, from: 20 * 960) > 0.29, "a sine's is 0.35, and of an encoder that begins 0.26 at most")
        #expect(second.target.bitsPerSecond == bitsPerSecond && first.target.bitsPerSecond == 96_000)
    }

    @Test("no packet outgrows a datagram, whatever the rate")
    func largest() throws {
        var random = SeededGenerator(seed: 5)
        var coding = try Coding(target(510_000))
        try coding.encode((0..<40 * 1920).map { _ in Float(random.unit() * 2 - 1) })
        #expect(coding.packets.allSatisfy { $0.bytes.count <= 1200 })
        #expect(coding.packets.contains { $0.bytes.count > 1000 })
    }

    @Test("mono packets hold the mean of both sides, and a change back is live")
    func mono() throws {
        var tone = Tone(1000, level: -6)
        var coding = try Coding(target(64_000) { $0.channels = .mono })
        try coding.encode(tone.next(50 * 960, channels: 1).flatMap { [$0, 0] })
        #expect(try coding.packets.allSatisfy { try OpusPacket($0.bytes).toc.channels == 1 })
        let decoded = try coding.decoded()
        for channel in 0..<2 {
            let level = ToneAnalysis(decoded, channel: channel).part(from: 0.4, 0.5).level(of: 1000)
            #expect(abs(level + 12) < 0.5)
        }
        try coding.encoder.adapt(to: target(64_000))
        try coding.encode(&tone, packets: 10)
        #expect(try OpusPacket(try #require(coding.packets.last).bytes).toc.channels == 2)
    }

    @Test("with DTX silence takes a packet each 400 ms, and sound is there again at once")
    func discontinuousTransmission() throws {
        var tone = Tone(1000, level: -20)
        var coding = try Coding(target(96_000) { $0.usesDTX = true })
        try coding.encode(&tone, packets: 50)
        #expect(coding.packets.allSatisfy { !$0.isSilent })
        try coding.encodeSilence(packets: 200)
        let silence = coding.packets[100..<250]
        #expect(3...12 ~= silence.count { !$0.isSilent })
        #expect(silence.filter(\.isSilent).allSatisfy { $0.bytes.count <= 2 })
        try coding.encode(&tone, packets: 50)
        #expect(coding.packets[250...].allSatisfy { !$0.isSilent })
        let back = ToneAnalysis(try coding.decoded()).part(from: 5.1, 0.2)
        #expect(abs(back.level(of: 1000) + 20) < 0.5)
    }

    @Test("after a minute of loud sound, for which it does not listen, noise 50 dB below is found silent within a second")
    func silenceAfterLoudSound() throws {
        var coding = try Coding(target(96_000) { $0.usesDTX = true })
        var tone = Tone(440, level: -10)
        try coding.encode(&tone, packets: 3000)
        var random = SeededGenerator(seed: 5)
        try coding.encode((0..<2 * 960 * 100).map { _ in Float(random.unit() * 2 - 1) * 0.001 })
        #expect(coding.packets[..<3000].allSatisfy { !$0.isSilent })
        #expect(coding.packets[3050...].count { $0.isSilent } > 40)
    }

    @Test("without DTX nothing is silent, not even silence")
    func continuous() throws {
        var coding = try Coding(target(96_000))
        try coding.encodeSilence(packets: 100)
        #expect(coding.packets.allSatisfy { !$0.isSilent })
    }

    @Test("without DTX a full rate is not listened to, however quiet it is", arguments: [72_000, 96_000])
    func quietWithoutDTX(bitsPerSecond: Int) throws {
        var packets: [[AudioUnit.Encoding]] = []
        for complexity in [7, 5] {
            var configuration = OpusConfiguration()
            configuration.complexity = complexity
            let encoder = try OpusEncoder(configuration, target: target(bitsPerSecond))
            var tone = Tone(1000, level: -40)
            packets.append(try (0..<60).map { _ in try encoder.encode(tone.next(960)) })
        }
        #expect(packets[0] == packets[1])
    }

    @Test("DTX can be turned on and off meanwhile")
    func liveDTX() throws {
        var coding = try Coding(target(96_000))
        try coding.encodeSilence(packets: 50)
        try coding.encoder.adapt(to: target(96_000) { $0.usesDTX = true })
        try coding.encodeSilence(packets: 50)
        try coding.encoder.adapt(to: target(96_000))
        try coding.encodeSilence(packets: 50)
        #expect(coding.packets[0..<50].allSatisfy { !$0.isSilent })
        #expect(coding.packets[50..<100].contains { $0.isSilent })
        #expect(coding.packets[101..<150].allSatisfy { !$0.isSilent })
    }

    @Test("DTX that is turned on behind loud sound, which nobody listened to any more, finds noise 50 dB below silent too")
    func lateDTX() throws {
        var coding = try Coding(target(96_000))
        var tone = Tone(440, level: -10)
        try coding.encode(&tone, packets: 500)
        try coding.encoder.adapt(to: target(96_000) { $0.usesDTX = true })
        var random = SeededGenerator(seed: 5)
        try coding.encode((0..<2 * 960 * 100).map { _ in Float(random.unit() * 2 - 1) * 0.001 })
        #expect(coding.packets[550...].count { $0.isSilent } > 40)
    }

    @Test("in-band FEC makes copies where loss is expected, and loss alone makes none")
    func inBandFEC() throws {
        let sound = speech(frames: 100 * 960)
        for (fec, loss, expected) in [(OpusTarget.InBandFEC.off, 20, 0...0), (.on, 0, 0...0), (.on, 20, 40...100)] {
            var coding = try Coding(
                target(64_000) {
                    $0.inBandFEC = fec
                    $0.expectedLoss = loss
                })
            try coding.encode(sound)
            let copies = try coding.packets.count { try OpusPacket($0.bytes).hasFEC }
            #expect(expected ~= copies)
        }
    }

    @Test("with in-band FEC and much loss everything is coded by SILK, and DTX goes on", arguments: [0, 3, 6, 20])
    func modeWithFEC(loss: Int) throws {
        var coding = try Coding(
            target(96_000) {
                $0.inBandFEC = .on
                $0.expectedLoss = loss
                $0.usesDTX = true
            })
        try coding.encode(chords(frames: 100 * 960))
        let modes = try coding.packets[10...].map { try OpusPacket($0.bytes).toc.mode }
        // In between, whether it sounds like speech decides.
        #expect(loss == 3 || modes.allSatisfy { ($0 == .celt) == (loss == 0) })
        try coding.encodeSilence(packets: 100)
        #expect(coding.packets[150...].count { $0.isSilent } > 40)
    }

    @Test("music at a full rate is coded by CELT, whatever loss is expected")
    func music() throws {
        var coding = try Coding(target(96_000) { $0.expectedLoss = 20 })
        try coding.encode(chords(frames: 100 * 960))
        #expect(try coding.packets.allSatisfy { try OpusPacket($0.bytes).toc.mode == .celt })
        #expect(try coding.packets.allSatisfy { try OpusPacket($0.bytes).toc.bandwidth == .fullband })
    }

    @Test("samples that are no numbers or far too loud leave no trace in the packets after")
    func wildSamples() throws {
        var tone = Tone(1000, level: -6)
        var coding = try Coding(target(96_000))
        try coding.encode(&tone, packets: 10)
        for wild in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e10] {
            try coding.encode([Float](repeating: wild, count: 1920))
            try coding.encode(&tone, packets: 10)
        }
        try coding.encode(&tone, packets: 50)
        let decoded = try coding.decoded()
        #expect(decoded.allSatisfy { -1...1 ~= $0 })
        let end = ToneAnalysis(decoded).part(from: Double(decoded.count) / 96_000 - 0.5, 0.5)
        #expect(abs(end.level(of: 1000) + 6) < 0.5)
    }

    @Test("what can't be encoded is refused with a reason, and changes nothing")
    func refusals() throws {
        for bitsPerSecond in [0, -1, 5999, 510_001, .max] {
            #expect(throws: CodecError.self) {
                try OpusEncoder(OpusConfiguration(), target: self.target(bitsPerSecond))
            }
        }
        var configuration = OpusConfiguration()
        configuration.complexity = 11
        #expect(throws: CodecError.self) { try OpusEncoder(configuration, target: self.target(96_000)) }
        let encoder = try OpusEncoder(OpusConfiguration(), target: target(96_000))
        for loss in [-1, 101, .max] {
            #expect(throws: CodecError.self) { try encoder.adapt(to: self.target(96_000) { $0.expectedLoss = loss }) }
        }
        for count in [0, 1, 960, 1919, 1921, 3840] {
            #expect(throws: CodecError.self) { try encoder.encode([Float](repeating: 0, count: count)) }
        }
        #expect(encoder.target == target(96_000))
        #expect(try encoder.encode([Float](repeating: 0, count: 1920)).bytes.count > 2)
    }

    /// Three notes with ten harmonics each.
    private func chords(frames: Int) -> [Float] {
        var sum = [Float](repeating: 0, count: 2 * frames)
        for note in [220.0, 277.2, 329.6] {
            for harmonic in 1...10 {
                var tone = Tone(note * Double(harmonic), level: -24 - Double(2 * harmonic))
                for (index, sample) in tone.next(frames).enumerated() { sum[index] += sample }
            }
        }
        return sum
    }
}
