import Foundation
import Media
import TestSupport
import Testing

@Suite("Audio mixer: gains, mutes and the limiter")
struct AudioMixerTests {
    private static let frames = 960

    @Test("Decibels become factors; what is out of bounds is kept within, or is silence")
    func decibels() {
        for decibels in stride(from: -60.0, through: 24, by: 0.37) {
            let expected = pow(10, decibels / 20)
            #expect(abs(Double(Gain(decibels: decibels).factor) / expected - 1) < 1e-6)
        }
        #expect(Gain(decibels: 0).factor == 1 && Gain.unity.factor == 1)
        #expect(Gain(decibels: 99) == Gain(decibels: 24))
        #expect(Gain(decibels: -61).factor == 0 && Gain(decibels: -.infinity).factor == 0)
        #expect(Gain(decibels: .nan).factor == 0)
    }

    @Test("Below the knee both sources are added, bit for bit")
    func transparent() {
        var mixer = AudioMixer()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let (system, microphone) = (noise(0.35, &random), noise(0.35, &random))
            let mixed = mixer.mix(system: system, microphone: microphone, frames: Self.frames)
            #expect(mixed == zip(system, microphone).map { $0 + $1 })
        }
    }

    @Test("A source that is missing is silence, and so are both")
    func missing() {
        var mixer = AudioMixer()
        var random = SeededGenerator(seed: 4)
        let system = noise(0.5, &random)
        #expect(mixer.mix(system: system, microphone: nil, frames: Self.frames) == system)
        #expect(mixer.mix(system: nil, microphone: system, frames: Self.frames) == system)
        let silence = mixer.mix(system: nil, microphone: nil, frames: Self.frames)
        #expect(silence == [Float](repeating: 0, count: 2 * Self.frames))
    }

    @Test("Muting, unmuting and gains take 15 ms and make no click, in mid-change too")
    func ramps() {
        var mixer = AudioMixer()
        let steady = [Float](repeating: 0.5, count: 2 * Self.frames)
        var output: [Float] = []
        for packet in 0..<12 {
            switch packet {
            case 2: mixer.faders[.system].isMuted = true
            case 4: mixer.faders[.system].isMuted = false
            case 6: mixer.faders[.system].gain = Gain(decibels: -20)
            // The second before the first has arrived.
            case 8: mixer.faders[.system].isMuted = true
            default: break
            }
            output += mixer.mix(system: Array(steady[..<960]), microphone: nil, frames: 480)
            if packet == 8 { mixer.faders[.system].isMuted = false }
        }
        let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
        let steps = zip(left.dropFirst(), left).map { abs($0 - $1) }
        // The steepest point of the curve is 1.5 times its mean slope.
        #expect((steps.max() ?? 1) <= 0.5 * 1.5 / 720 * 1.01)
        #expect(left[959] == 0.5 && left[960 + 720] == 0 && left[1919] == 0)
        #expect(left[1920 + 720] == 0.5 && abs(left[2880 + 720] - 0.05) < 1e-6)
        #expect(abs((left.last ?? 0) - 0.05) < 1e-6)
    }

    @Test("However loud both are, nothing exceeds −0.1 dBFS, and the limiter lets go again")
    func ceiling() {
        var mixer = AudioMixer()
        var random = SeededGenerator(seed: 5)
        mixer.faders[.microphone].gain = Gain(decibels: 24)
        var loudest: Float = 0
        for packet in 0..<400 {
            // Silence, murmur and shouts in turn, so that every attack is met.
            let level = [0, 0.05, 0.5, 1, 4][Int.random(in: 0..<5, using: &random)] as Float
            let mixed = mixer.mix(
                system: noise(level, &random), microphone: packet % 3 == 0 ? noise(level, &random) : nil,
                frames: Self.frames)
            loudest = max(loudest, mixed.map(\.magnitude).max() ?? 0)
        }
        #expect(loudest <= Float(pow(10, -0.1 / 20)) * 1.000_001 && loudest > 0.9)
        for _ in 0..<100 { _ = mixer.mix(system: noise(0.1, &random), microphone: nil, frames: Self.frames) }
        let quiet = noise(0.1, &random)
        #expect(mixer.mix(system: quiet, microphone: nil, frames: Self.frames) == quiet)
    }

    @Test("A loud tone is turned down, not distorted: THD+N below −60 dB", arguments: [50.0, 100, 440, 1000, 5000])
    func distortion(frequency: Double) {
        var mixer = AudioMixer()
        var output: [Double] = []
        for packet in 0..<100 {
            let samples = (0..<(2 * Self.frames)).map { index in
                Float(1.6 * sin(2 * .pi * frequency * Double(packet * Self.frames + index / 2) / 48_000))
            }
            let mixed = mixer.mix(system: samples, microphone: nil, frames: Self.frames)
            if packet >= 50 { output += stride(from: 0, to: mixed.count, by: 2).map { Double(mixed[$0]) } }
        }
        let decibels = distortionInDecibels(output, frequency)
        #expect(decibels < -60, "\(frequency) Hz: \(decibels) dB")
        #expect((output.max() ?? 0) > 0.85)
    }

    @Test("What is no number, or far too loud for a sample, is silence, and harms nothing that follows")
    func nonsense() {
        var mixer = AudioMixer()
        var samples = [Float](repeating: 0.25, count: 2 * Self.frames)
        samples[7] = .nan
        samples[100] = .infinity
        samples[101] = -.infinity
        samples[500] = 3e38
        let mixed = mixer.mix(system: samples, microphone: samples, frames: Self.frames)
        #expect(mixed[7] == 0 && mixed[100] == 0 && mixed[101] == 0 && mixed[500] == 0 && mixed[8] == 0.5)
        let after = mixer.mix(system: [0.25, 0.25], microphone: nil, frames: 1)
        #expect(after == [0.25, 0.25])
    }

    private func noise(_ level: Float, _ random: inout SeededGenerator) -> [Float] {
        (0..<(2 * Self.frames)).map { _ in level * Float(2 * random.unit() - 1) }
    }

    /// Everything that is not the tone, against the tone. A whole number of periods is looked at.
    private func distortionInDecibels(_ samples: [Double], _ frequency: Double) -> Double {
        var (real, imaginary, power) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / 48_000
            real += sample * cos(angle)
            imaginary += sample * sin(angle)
            power += sample * sample
        }
        let tone = 2 * (real * real + imaginary * imaginary) / Double(samples.count)
        return 10 * log10(max(1e-20, (power - tone) / tone))
    }
}
