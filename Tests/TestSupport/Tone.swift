import Glibc

/// A sine, sample by sample.
package struct Tone: Sendable {
    package var frequency: Double
    /// Of its peaks, in dB below full scale.
    package var level: Double
    package var sampleRate: Double
    private var position = 0

    package init(_ frequency: Double, level: Double = -1, sampleRate: Double = 48_000) {
        self.frequency = frequency
        self.level = level
        self.sampleRate = sampleRate
    }

    /// The next frames, the same in all channels, interleaved.
    package mutating func next(_ frames: Int, channels: Int = 2) -> [Float] {
        let amplitude = pow(10, level / 20)
        let step = frequency / sampleRate
        var samples = [Float](repeating: 0, count: frames * channels)
        samples.withUnsafeMutableBufferPointer { samples in
            for frame in 0..<frames {
                let turns = Double(position + frame) * step
                let value = Float(amplitude * sin(2 * .pi * (turns - turns.rounded(.down))))
                for channel in 0..<channels { samples[frame * channels + channel] = value }
            }
        }
        position += frames
        return samples
    }
}

/// What tones a piece of sound holds.
package struct ToneAnalysis {
    private let samples: [Double]
    private let sampleRate: Double

    /// One channel of interleaved samples.
    package init(_ interleaved: [Float], channel: Int = 0, of channels: Int = 2, sampleRate: Double = 48_000) {
        samples = stride(from: channel, to: interleaved.count, by: channels).map { Double(interleaved[$0]) }
        self.sampleRate = sampleRate
    }

    private init(samples: [Double], sampleRate: Double) {
        self.samples = samples
        self.sampleRate = sampleRate
    }

    /// A part of it, in seconds.
    package func part(from start: Double, _ duration: Double) -> ToneAnalysis {
        let first = min(samples.count, Int(start * sampleRate))
        let end = min(samples.count, first + Int(duration * sampleRate))
        return ToneAnalysis(samples: Array(samples[first..<end]), sampleRate: sampleRate)
    }

    /// In dB below full scale.
    package var peak: Double { 20 * log10(max(1e-10, samples.reduce(0) { max($0, abs($1)) })) }

    /// The peaks of the sine of this frequency in it, in dB below full scale.
    package func level(of frequency: Double) -> Double {
        let windowed = windowed
        let sum = Self.window(samples.count).reduce(0, +)
        let (re, im) = transform(windowed, at: frequency)
        return 20 * log10(max(1e-10, 2 * (re * re + im * im).squareRoot() / sum))
    }

    /// How far the sine of this frequency, begun at the first sample, lags; in samples, within one period.
    package func lag(of frequency: Double) -> Double {
        let (re, im) = transform(windowed, at: frequency)
        // A sine's transform is −i/2.
        let turns = -(atan2(im, re) + .pi / 2) / (2 * .pi)
        return (turns - turns.rounded(.down)) * sampleRate / frequency
    }

    /// All but the sine within ±`notch` Hz, against it, in dB: total harmonic distortion and noise.
    package func distortion(of frequency: Double, notch: Int = 25) -> Double {
        let windowed = windowed
        let total = windowed.reduce(0) { $0 + $1 * $1 } * Double(samples.count) / 2
        let bin = sampleRate / Double(samples.count)
        var tone = 0.0
        for offset in -Int(Double(notch) / bin)...Int(Double(notch) / bin) {
            let (re, im) = transform(windowed, at: ((frequency / bin).rounded() + Double(offset)) * bin)
            tone += re * re + im * im
        }
        return 10 * log10(max(1e-15, (total - tone) / tone))
    }

    private var windowed: [Double] { zip(samples, Self.window(samples.count)).map { $0 * $1 } }

    /// The seven-term Blackman-Harris window, whose side lobes lie at −180 dB and whose main lobe is ±7 bins wide.
    private static func window(_ count: Int) -> [Double] {
        let terms = [
            0.2712203606, -0.4334446123, 0.2180041229, -0.0657853433, 0.0107618673, -0.0007700127, 0.00001368088,
        ]
        return (0..<count).map { index in
            let phase = 2 * Double.pi * Double(index) / Double(count)
            var value = 0.0
            for (order, term) in terms.enumerated() { value += term * cos(phase * Double(order)) }
            return value
        }
    }

    /// One bin of the Fourier transform, by a phasor that turns from sample to sample.
    private func transform(_ samples: [Double], at frequency: Double) -> (re: Double, im: Double) {
        let step = -2 * Double.pi * frequency / sampleRate
        let (stepRe, stepIm) = (cos(step), sin(step))
        var (re, im, phaseRe, phaseIm) = (0.0, 0.0, 1.0, 0.0)
        samples.withUnsafeBufferPointer { samples in
            var index = 0
            while index < samples.count {
                re += samples[index] * phaseRe
                im += samples[index] * phaseIm
                (phaseRe, phaseIm) = (phaseRe * stepRe - phaseIm * stepIm, phaseRe * stepIm + phaseIm * stepRe)
                index += 1
            }
        }
        return (re, im)
    }
}
