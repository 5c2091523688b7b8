import Media
import Timebase

/// Straight lines between samples, with an exact position: what it does to slow signals is known to the last bit.
///
/// A real one has a filter, which delays: here by `filter` input frames, which come out as silence at first or, where
/// it `holdsBack`, as nothing.
final class SimpleResampler: Resampler {
    private let channels: Int
    private let step: Double
    private let filter: Int
    private let sampleRate: Int
    /// What of the input is still needed, from `position` on.
    private var rest: [Float]
    private var position = 0.0
    private(set) var speeds: [Double] = []

    init(_ format: AudioFormat, filter: Int = 0, holdsBack: Bool = false) {
        channels = format.channels
        sampleRate = format.sampleRate
        step = Double(format.sampleRate) / 48_000
        self.filter = filter
        rest = [Float](repeating: 0, count: holdsBack ? 0 : filter * format.channels)
    }

    var delay: Duration { .seconds((Double(filter) + 0.5) / Double(sampleRate)) }

    func process(_ input: [Float], speed: Double, into output: inout [Float]) {
        speeds.append(speed)
        rest.append(contentsOf: input)
        let step = self.step * speed
        // The last `filter` frames wait for what comes behind them.
        let limit = Double(rest.count / channels - 1 - filter)
        let count = max(0, Int(((limit - position) / step).rounded(.up)))
        guard count > 0 else { return }
        let start = output.count
        output.append(contentsOf: [Float](repeating: 0, count: count * channels))
        rest.withUnsafeBufferPointer { rest in
            output.withUnsafeMutableBufferPointer { output in
                guard let rest = rest.baseAddress, let output = output.baseAddress?.advanced(by: start) else { return }
                Self.interpolate(rest, output, count, channels, position, step)
            }
        }
        position += Double(count) * step
        let used = min(Int(position), rest.count / channels)
        rest.removeFirst(used * channels)
        position -= Double(used)
    }

    private static func interpolate(
        _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ count: Int, _ channels: Int,
        _ position: Double, _ step: Double
    ) {
        var frame = 0
        while frame < count {
            let place = position + Double(frame) * step
            let index = Int(place)
            let weight = Float(place - Double(index))
            var channel = 0
            while channel < channels {
                let left = input[index * channels + channel]
                let right = input[(index + 1) * channels + channel]
                output[frame * channels + channel] = left + (right - left) * weight
                channel += 1
            }
            frame += 1
        }
    }
}

/// Takes 48 kHz and gives as many frames as the speed asks for, by leaving out or repeating the last: for hours of
/// sound.
final class CopyingResampler: Resampler {
    private var owed = 0.0
    private let channels: Int

    init(_ format: AudioFormat) {
        channels = format.channels
    }

    var delay: Duration { .zero }

    func process(_ input: [Float], speed: Double, into output: inout [Float]) {
        let frames = input.count / channels
        owed += Double(frames) / speed
        let count = Int(owed)
        owed -= Double(count)
        output.append(contentsOf: input.prefix(count * channels))
        for _ in frames..<max(frames, count) { output.append(contentsOf: input.suffix(channels)) }
    }
}
