import AudioCodec
import Glibc
import Media
import RTP
import TestSupport
import Testing

@Suite("Opus decoder")
struct OpusDecoderTests {
    private func coding(_ change: (inout OpusTarget) -> Void = { _ in }) throws -> Coding {
        var target = OpusTarget(bitsPerSecond: 64_000)
        change(&target)
        return try Coding(target)
    }

    /// How far two pieces of sound differ, in dB against the first.
    private func error(_ wanted: ArraySlice<Float>, _ found: ArraySlice<Float>) -> Double {
        let difference = zip(wanted, found).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        return 10 * log10(difference / wanted.reduce(0.0) { $0 + Double($1 * $1) })
    }

    @Test("a lost packet of a tone is concealed by the same tone, and a long loss by fainter noise")
    func concealment() throws {
        var tone = Tone(440, level: -6)
        var coding = try coding()
        try coding.encode(&tone, packets: 50)
        let decoder = try OpusDecoder()
        for packet in coding.packets { _ = try decoder.decode(packet.bytes) }
        let first = try decoder.conceal(frames: 960)
        #expect(first.count == 1920)
        #expect(abs(ToneAnalysis(first).level(of: 440) + 6) < 3)
        var last: [Float] = []
        for _ in 0..<100 { last = try decoder.conceal(frames: 960) }
        #expect(ToneAnalysis(last).peak < -15 && ToneAnalysis(last).level(of: 440) < -25)
    }

    @Test("what a copy holds is nearer to what was lost than a guess", arguments: [1, 2])
    func recovery(lost: Int) throws {
        var coding = try coding {
            $0.inBandFEC = .on
            $0.expectedLoss = 20
        }
        try coding.encode(speech(frames: 100 * 960))
        let whole = try coding.decoded()
        var (guessed, recovered, tries) = (0.0, 0.0, 0)
        for gap in stride(from: 20, to: 90, by: 7) where try OpusPacket(coding.packets[gap + lost].bytes).hasFEC {
            let decoders = [try OpusDecoder(), try OpusDecoder()]
            for decoder in decoders { for packet in coding.packets[..<gap] { _ = try decoder.decode(packet.bytes) } }
            let guess = try decoders[0].conceal(frames: lost * 960)
            let copy = try decoders[1].recover(from: coding.packets[gap + lost].bytes, frames: lost * 960)
            #expect(guess.count == 1920 * lost && copy.count == 1920 * lost)
            let missing = whole[(gap + lost - 1) * 1920..<(gap + lost) * 1920]
            guessed += error(missing, guess.suffix(1920))
            recovered += error(missing, copy.suffix(1920))
            tries += 1
        }
        try #require(tries >= 4)
        #expect(recovered / Double(tries) < guessed / Double(tries) - 3)
    }

    @Test("without a copy the loss is concealed")
    func nothingToRecover() throws {
        var tone = Tone(440, level: -6)
        var coding = try coding()
        try coding.encode(&tone, packets: 20)
        let decoders = [try OpusDecoder(), try OpusDecoder()]
        for decoder in decoders { for packet in coding.packets[..<10] { _ = try decoder.decode(packet.bytes) } }
        let recovered = try decoders[0].recover(from: coding.packets[11].bytes, frames: 960)
        #expect(try recovered == decoders[1].conceal(frames: 960))
    }

    @Test("packets without frames are concealed, for as long as they say")
    func silentPackets() throws {
        let decoder = try OpusDecoder()
        #expect(try decoder.decode([31 << 3 | 4]).count == 1920)
        #expect(try decoder.decode([28 << 3 | 4]).count == 240)
        #expect(try decoder.decode([31 << 3 | 4 | 3, 6]).count == 11_520)
        #expect(try decoder.decode([31 << 3 | 4]).allSatisfy { $0 == 0 })
    }

    @Test("what is no packet throws, and the sound goes on as if it had not been there (seed 13)")
    func malformed() throws {
        var random = SeededGenerator(seed: 13)
        var tone = Tone(440, level: -6)
        var coding = try coding()
        try coding.encode(&tone, packets: 30)
        let (decoder, undisturbed) = (try OpusDecoder(), try OpusDecoder())
        for packet in coding.packets {
            for bytes: [UInt8] in [[], [31 << 3 | 1, 0], [31 << 3 | 3], [31 << 3 | 3, 0]] {
                #expect(throws: CodecError.self) { try decoder.decode(bytes) }
                #expect(throws: CodecError.self) { try decoder.recover(from: bytes, frames: 960) }
            }
            let oversized = [31 << 3] + (0..<1276).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: CodecError.self) { try decoder.decode(oversized) }
            #expect(try decoder.decode(packet.bytes) == undisturbed.decode(packet.bytes))
        }
    }

    @Test("any bytes that make a packet decode to sound within full scale, of the packet's duration (seed 99)")
    func randomPackets() throws {
        var random = SeededGenerator(seed: 99)
        let decoder = try OpusDecoder()
        var decoded = 0
        for _ in 0..<1500 {
            let count = Int.random(in: 0...200, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            guard let packet = try? OpusPacket(bytes) else {
                #expect(throws: CodecError.self) { try decoder.decode(bytes) }
                continue
            }
            let recovered = try decoder.recover(from: bytes, frames: 960)
            #expect(recovered.count == 1920 && recovered.allSatisfy { -1...1 ~= $0 })
            let samples = try decoder.decode(bytes)
            #expect(samples.count == 2 * packet.samples && samples.allSatisfy { -1...1 ~= $0 })
            decoded += 1
        }
        #expect(decoded > 500)
    }

    @Test("losses of no time, of broken frames and of more than a packet can hold are refused")
    func refusals() throws {
        let decoder = try OpusDecoder()
        for frames in [0, -120, 1, 119, 961, 5761, 5880, .max, .min] {
            #expect(throws: CodecError.self) { try decoder.conceal(frames: frames) }
        }
        for frames in [120, 240, 480, 960, 5760] { #expect(try decoder.conceal(frames: frames).count == 2 * frames) }
    }
}
