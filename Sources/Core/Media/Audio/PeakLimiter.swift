/// Keeps a stereo mix below full scale: what stays below −3 dBFS passes bit for bit, louder peaks near −0.1 dBFS and
/// never reach it.
///
/// The gain is one straight line per millisecond, never above what the louder of its ends allows, so that a packet is
/// never overshot from within. It needs no look-ahead, and adds no delay: a packet is seen whole, and only an attack
/// within the first millisecond of one is cut instead of turned down, too short to be heard. As the gain follows the
/// loudest peak of the last 32 ms or more, a steady tone meets a steady gain, and is not distorted.
struct PeakLimiter: Sendable {
    private var gain: Float = 1
    /// The least gain needed in this stretch of windows, and in the one before.
    private var current: Float = 1
    private var previous: Float = 1
    private var windows = 0

    /// Stereo, in place. What is no sample becomes silence.
    mutating func limit(_ samples: inout [Float]) {
        if gain == 1, least == 1, Self.isBelowKnee(samples) { return }
        var needed = Self.neededGains(samples)
        if needed == nil {
            Self.silenceNonsense(&samples)
            needed = Self.neededGains(samples)
        }
        guard let needed, gain < 1 || least < 1 || needed.contains(where: { $0 < 1 }) else { return }
        for window in needed.indices {
            let next = window + 1 < needed.count ? needed[window + 1] : 1
            remember(needed[window])
            apply(until: min(least, next), window, &samples, isFirst: window == 0)
        }
    }

    private var least: Float { min(current, previous) }

    private mutating func remember(_ needed: Float) {
        current = min(current, needed)
        windows += 1
        guard windows == AudioLimits.limiterMemory else { return }
        windows = 0
        previous = current
        current = 1
    }

    private mutating func apply(until allowed: Float, _ window: Int, _ samples: inout [Float], isFirst: Bool) {
        let end = allowed < gain ? allowed : gain + (allowed - gain) * AudioLimits.limiterRelease
        let range = Self.range(of: window, in: samples)
        let step = (end - gain) / Float(AudioLimits.limiterWindow)
        var level = gain
        for frame in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            level += step
            samples[frame] *= level
            samples[frame + 1] *= level
        }
        gain = end > 0.9999 ? 1 : end
        guard isFirst else { return }
        for index in range { samples[index] = max(-AudioLimits.ceiling, min(AudioLimits.ceiling, samples[index])) }
    }

    // MARK: Peaks

    /// Whether all of it passes as it is, as nearly every packet does. The bits of magnitudes are in their order, and those
    /// of what is no number above them all; in integers compilers make vectors of the search.
    private static func isBelowKnee(_ samples: [Float]) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress else { return true }
            let count = samples.count
            var loudest: UInt32 = 0
            var index = 0
            while index < count {
                let bits = first[index].magnitude.bitPattern
                if bits > loudest { loudest = bits }
                index += 1
            }
            return loudest <= AudioLimits.knee.bitPattern
        }
    }

    private static func range(of window: Int, in samples: [Float]) -> Range<Int> {
        let start = window * 2 * AudioLimits.limiterWindow
        return start..<min(samples.count, start + 2 * AudioLimits.limiterWindow)
    }

    /// The gain that each window's peak allows; nil where there is something that is no sample.
    private static func neededGains(_ samples: [Float]) -> [Float]? {
        let size = 2 * AudioLimits.limiterWindow
        let count = (samples.count + size - 1) / size
        var gains = [Float](repeating: 1, count: count)
        var sum: Float = 0
        samples.withUnsafeBufferPointer { samples in
            for window in 0..<count {
                let (peak, total) = loudness(samples, from: window * size, to: min(samples.count, (window + 1) * size))
                gains[window] = allowedGain(peak)
                sum += total
            }
        }
        return sum <= AudioLimits.loudestSample * Float(samples.count) ? gains : nil
    }

    private static func loudness(_ samples: UnsafeBufferPointer<Float>, from: Int, to: Int) -> (Float, Float) {
        guard let samples = samples.baseAddress else { return (0, 0) }
        var peak: Float = 0
        var total: Float = 0
        var index = from
        while index < to {
            let magnitude = samples[index].magnitude
            if magnitude > peak { peak = magnitude }
            total += magnitude
            index += 1
        }
        return (peak, total)
    }

    /// Above the knee the way to the ceiling is halved for as much again.
    private static func allowedGain(_ peak: Float) -> Float {
        guard peak > AudioLimits.knee else { return 1 }
        let room = AudioLimits.ceiling - AudioLimits.knee
        let over = (peak - AudioLimits.knee) / room
        return (AudioLimits.knee + room * over / (1 + over)) / peak
    }

    private static func silenceNonsense(_ samples: inout [Float]) {
        for index in samples.indices where !(samples[index].magnitude <= AudioLimits.loudestSample) {
            samples[index] = 0
        }
    }
}
