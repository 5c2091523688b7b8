import Glibc
import Media
import Timebase

/// A sine.
struct Tone {
    var frequency: Double
    var amplitude = 0.5
    var sampleRate = 48_000

    /// A second of it, which ends where it began: the frequency is a whole number.
    var second: [Float] {
        (0..<sampleRate).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(sampleRate))) }
    }
}

/// Blocks of a source, one after the other.
struct Recording {
    var blocks: [AudioBlock] = []
    /// When each of them was read.
    var readAt: [Instant] = []

    /// How old the last blocks were when they were read; the least of half a second: a server or a reader may be late.
    var age: Duration? { zip(readAt, blocks).suffix(50).map { $0 - $1.capturedAt }.min() }

    var format: AudioFormat? { blocks.last?.format }
    var frames: Int { blocks.reduce(0) { $0 + $1.frameCount } }

    /// One channel of the last so many frames.
    func tail(_ frames: Int, channel: Int = 0) -> [Float] {
        var pieces: [[Float]] = []
        var missing = frames
        for block in blocks.reversed() where missing > 0 {
            let piece = stride(from: channel, to: block.samples.count, by: block.format.channels)
                .map { block.samples[$0] }
                .suffix(missing)
            pieces.append(Array(piece))
            missing -= piece.count
        }
        return Array(pieces.reversed().joined())
    }
}

/// How much of a frequency there is in a signal, as the amplitude of a sine.
func amplitude(of frequency: Double, in samples: [Float], sampleRate: Int) -> Double {
    let step = 2 * Double.pi * frequency / Double(sampleRate)
    var real = 0.0
    var imaginary = 0.0
    for (index, sample) in samples.enumerated() {
        // Hann's window: what is beside the frequency doesn't leak into it.
        let window = 1 - cos(2 * .pi * Double(index) / Double(samples.count))
        real += Double(sample) * window * cos(step * Double(index))
        imaginary += Double(sample) * window * sin(step * Double(index))
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
}

/// The root mean square.
func level(of samples: [Float]) -> Double {
    (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
}
