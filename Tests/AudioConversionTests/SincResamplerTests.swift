import AudioConversion
import Media
import TestSupport
import Testing
import Timebase

@Suite("Resampler")
struct SincResamplerTests {
    private func resampler(_ rate: Int, _ channels: Int = 2, to output: Int = 48_000) throws -> SincResampler {
        try SincResampler(from: AudioFormat(sampleRate: rate, channels: channels), to: output)
    }

    /// A tone through a resampler in blocks of 20 ms, each with its speed.
    private func converted(
        _ frequency: Double, _ rate: Int, seconds: Double, speed: (_ block: Int) -> Double
    ) throws -> ToneAnalysis {
        let resampler = try resampler(rate, 1)
        var tone = Tone(frequency, sampleRate: Double(rate))
        var output: [Float] = []
        for block in 0..<Int(seconds * 50) {
            resampler.process(tone.next(rate / 50, channels: 1), speed: speed(block), into: &output)
        }
        return ToneAnalysis(output, of: 1)
    }

    @Test(
        "a tone at −1 dBFS comes out as loud, with 90 dB less of anything else",
        arguments: [
            (44_100, 1000), (44_100, 997), (44_100, 10_000), (48_000, 1000), (96_000, 1000), (32_000, 1000),
            (22_050, 1000), (16_000, 1000), (8000, 1000),
        ])
    func purity(rate: Int, frequency: Int) throws {
        let tone = try converted(Double(frequency), rate, seconds: 1.6) { _ in 1 }.part(from: 0.5, 1)
        #expect(tone.distortion(of: Double(frequency)) < -90)
        #expect(abs(tone.level(of: Double(frequency)) + 1) < 0.05)
    }

    @Test(
        "so it does while the speed follows a clock, slowly or by a few millionths at a time",
        arguments: [44_100, 48_000])
    func bentPurity(rate: Int) throws {
        let ramp = try converted(1000, rate, seconds: 1.6) { 1 + 500e-6 - 2e-6 * Double($0) }.part(from: 0.5, 1)
        #expect(ramp.distortion(of: 1000.4) < -90)
        var random = SeededGenerator(seed: 20)
        var speed = 1 - 200e-6
        let steps = try converted(1000, rate, seconds: 1.6) { _ in
            speed += Double(Int.random(in: -3...3, using: &random)) * 1e-6
            return speed
        }.part(from: 0.5, 1)
        #expect(steps.distortion(of: 1000) < -90)
    }

    @Test("nothing clicks when the speed leaves 1, not even at equal rates", arguments: [48_000, 44_100])
    func leavingUnity(rate: Int) throws {
        let resampler = try resampler(rate, 1)
        var tone = Tone(1000, sampleRate: Double(rate))
        var output: [Float] = []
        for block in 0..<100 {
            resampler.process(tone.next(rate / 100, channels: 1), speed: block < 50 ? 1 : 1.0005, into: &output)
        }
        // A sine is foretold by its two samples before: x₊ = 2 cos ω x − x₋. A step of the speed bends it by 2·10⁻⁵.
        let factor = Float(1.982889723)
        let worst = (51..<output.count - 1).map { abs(output[$0 + 1] - factor * output[$0] + output[$0 - 1]) }.max()
        #expect(try #require(worst) < 1e-4)
    }

    @Test("an hour of bent speed gives as many frames as it should, within one")
    func hour() throws {
        // The ratio of 44.1 to 48 kHz at a quarter of the work.
        let resampler = try resampler(11_025, 1, to: 12_000)
        var random = SeededGenerator(seed: 3600)
        var (total, expected, speed) = (0, 0.0, 1.0)
        var output: [Float] = []
        while expected < 3600 * 12_000 {
            let frames = Int.random(in: 100...2000, using: &random)
            speed = min(max(speed + (random.unit() - 0.5) * 20e-6, 0.9995), 1.0005)
            output.removeAll(keepingCapacity: true)
            resampler.process([Float](repeating: 0.1, count: frames), speed: speed, into: &output)
            total += output.count
            expected += Double(frames) * 12_000 / 11_025 / speed
        }
        let waiting = resampler.delay.inSeconds * 12_000
        #expect(abs(Double(total) + waiting - expected) < 1.5)
    }

    @Test("how the input is cut into blocks does not matter, bit for bit", arguments: [44_100, 48_000, 96_000, 8000])
    func blocks(rate: Int) throws {
        var random = SeededGenerator(seed: 7)
        let input = (0..<2 * 30_000).map { _ in Float(random.unit() * 2 - 1) }
        var outputs: [[Float]] = []
        for largest in [30_000, 1, 441, 3000] {
            let resampler = try resampler(rate)
            var output: [Float] = []
            for (part, speed) in [1, 1.0003, 0.9997].enumerated() {
                var rest = input[part * 20_000..<(part + 1) * 20_000]
                while !rest.isEmpty {
                    let frames = largest == 30_000 ? largest : Int.random(in: 1...largest, using: &random)
                    resampler.process(Array(rest.prefix(2 * frames)), speed: speed, into: &output)
                    rest = rest.dropFirst(2 * frames)
                }
            }
            outputs.append(output)
        }
        #expect(outputs.allSatisfy { $0 == outputs[0] })
        #expect(abs(outputs[0].count / 2 - 30_000 * 48_000 / rate) < 500)
    }

    @Test(
        "the first sample out is the first in, and what is said to wait waits",
        arguments: [44_100, 48_000, 96_000, 192_000, 16_000, 8000])
    func delay(rate: Int) throws {
        let resampler = try resampler(rate, 1)
        var tone = Tone(100, level: -6, sampleRate: Double(rate))
        var output: [Float] = []
        resampler.process(tone.next(rate, channels: 1), speed: 1, into: &output)
        #expect(abs(48_000 - Double(output.count) - resampler.delay.inSeconds * 48_000) < 12)
        #expect(resampler.delay <= .milliseconds(3))
        let lag = ToneAnalysis(output, of: 1).part(from: 0, 0.5).lag(of: 100)
        #expect(min(lag, 480 - lag) < 0.05)
    }

    @Test("channels stay apart")
    func channels() throws {
        let resampler = try resampler(44_100, 3)
        var tones = [Tone(500, sampleRate: 44_100), Tone(5000, sampleRate: 44_100)]
        let (first, third) = (tones[0].next(44_100, channels: 1), tones[1].next(44_100, channels: 1))
        var output: [Float] = []
        resampler.process(zip(first, third).flatMap { [$0, 0, $1] }, speed: 1, into: &output)
        let found = (0..<3).map { ToneAnalysis(output, channel: $0, of: 3).part(from: 0.2, 0.5) }
        #expect(abs(found[0].level(of: 500) + 1) < 0.05 && found[0].level(of: 5000) < -90)
        #expect(found[1].peak < -150)
        #expect(abs(found[2].level(of: 5000) + 1) < 0.05 && found[2].level(of: 500) < -90)
    }

    @Test("what was there in the output stays")
    func appends() throws {
        var output: [Float] = [7, 8]
        try resampler(48_000).process([Float](repeating: 0, count: 2000), speed: 1, into: &output)
        #expect(output.starts(with: [7, 8]) && output.count > 1500)
    }

    @Test("speeds that are no clock's, broken frames and nothing at all do no harm")
    func strangeInput() throws {
        let resampler = try resampler(48_000)
        var output: [Float] = []
        for speed in [Double.nan, .infinity, -.infinity, 0, -1, 1e9, 1e-9, 1] {
            resampler.process([Float](repeating: 0.5, count: 961), speed: speed, into: &output)
            resampler.process([], speed: speed, into: &output)
            resampler.process([1], speed: speed, into: &output)
        }
        #expect(output.count % 2 == 0)
        #expect(1000...40_000 ~= output.count)
    }

    @Test("formats beyond any device's are refused")
    func refusals() {
        for (rate, channels, output) in [
            (0, 2, 48_000), (-1, 2, 48_000), (3999, 2, 48_000), (.max, 2, 48_000), (48_000, 0, 48_000),
            (48_000, -2, 48_000), (48_000, 33, 48_000), (48_000, .max, 48_000), (48_000, 2, 0), (48_000, 2, .max),
        ] {
            #expect(throws: CodecError.self) {
                try SincResampler(from: AudioFormat(sampleRate: rate, channels: channels), to: output)
            }
        }
    }
}
