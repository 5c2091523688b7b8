import AudioConversion
import Media
import TestSupport
import Testing
import Timebase

@Suite("Resampler that rests")
struct RestingResamplerTests {
    @Test("at rest samples pass bit for bit, at once")
    func passes() throws {
        let resampler = try RestingResampler(.stereo48k)
        var random = SeededGenerator(seed: 4)
        let input = (0..<2 * 5000).map { _ in Float(random.unit() * 2 - 1) }
        var output: [Float] = [7]
        for start in stride(from: 0, to: input.count, by: 2 * 240) {
            resampler.process(Array(input[start..<min(input.count, start + 2 * 240)]), speed: 1, into: &output)
        }
        #expect(output == [7] + input && resampler.delay == .zero)
    }

    /// Blocks of 20 ms of a tone, each with its speed.
    private func process(_ frequency: Double, _ speeds: [Double]) throws -> (samples: [Float], isResting: [Bool]) {
        let resampler = try RestingResampler(AudioFormat(sampleRate: 48_000, channels: 1))
        var tone = Tone(frequency, sampleRate: 48_000)
        var output: [Float] = []
        let isResting = speeds.map { speed in
            resampler.process(tone.next(960, channels: 1), speed: speed, into: &output)
            return resampler.delay == .zero
        }
        return (output, isResting)
    }

    @Test("nothing clicks where it wakes or goes to rest", arguments: [1.0001, 0.9999, 1.0037, 0.997], [300.0, 1000])
    func withoutClicks(speed: Double, frequency: Double) throws {
        let speeds = (0..<400).map { $0 / 20 % 2 == 0 ? 1 : speed }
        let made = try process(frequency, speeds)
        #expect(made.isResting == speeds.map { $0 == 1 })
        let omega = 2 * Double.pi * frequency / 48_000
        let twiceCosine = Float(2 * (1 - omega * omega / 2 + omega * omega * omega * omega / 24))
        let samples = made.samples
        let worst = (1..<samples.count - 1).map { index in
            abs(samples[index + 1] - twiceCosine * samples[index] + samples[index - 1])
        }.max()
        // A step of half a sample would be 0.06 at 1 kHz; that of the speed alone bends a tone by 5·10⁻⁴ at most.
        #expect(try #require(worst) < 8e-4)
    }

    @Test("bent and at rest in turns it gives as many frames as it should, within what going to rest rounds")
    func count() throws {
        let speeds: [Double] = (0...3000).map { block in
            let isBent = block / 7 % 3 > 0 && block < 3000
            return isBent ? 1 + 0.0003 * Double(block % 5 - 2) : 1
        }
        let made = try process(440, speeds)
        let expected: Double = speeds.reduce(0) { $0 + 960 / $1 }
        // Each time it goes to rest at most half a frame is rounded, and either way as often.
        #expect(abs(Double(made.samples.count) - expected) < 15, "\(made.samples.count), \(expected)")
    }

    @Test("blocks shorter than its filter lose nothing where they come at its end")
    func shortBlocks() throws {
        let resampler = try RestingResampler(AudioFormat(sampleRate: 48_000, channels: 1))
        var output: [Float] = []
        resampler.process([Float](repeating: 0.5, count: 960), speed: 1, into: &output)
        resampler.process([Float](repeating: 0.5, count: 960), speed: 1.0001, into: &output)
        for _ in 0..<200 { resampler.process([Float](repeating: 0.5, count: 5), speed: 1, into: &output) }
        resampler.process([Float](repeating: 0.5, count: 960), speed: 1, into: &output)
        #expect(resampler.delay == .zero && abs(output.count - (3 * 960 + 1000)) <= 1, "\(output.count)")
        #expect(output.allSatisfy { abs($0 - 0.5) < 1e-3 })
    }

    @Test("blocks shorter than the fade, broken frames and nothing at all do no harm")
    func strangeInput() throws {
        let resampler = try RestingResampler(.stereo48k)
        var output: [Float] = []
        for (index, speed) in [1, 1.001, 1, .nan, 1, 0, 1, 1.001, 1.001, 1].enumerated() {
            resampler.process([Float](repeating: 0.5, count: 2 * (index + 1) + 1), speed: speed, into: &output)
            resampler.process([], speed: speed, into: &output)
            resampler.process([1], speed: speed, into: &output)
        }
        #expect(output.allSatisfy { $0.magnitude < 0.6 } && output.count % 2 == 0)
    }
}
