/// The way from silence to sound, or back: a curve without a corner (3t² − 2t³, within 1 % of a raised cosine).
enum Fade {
    /// 0…1 for `frame` 0…`count`.
    static func weight(_ frame: Int, of count: Int) -> Float {
        let time = Float(min(frame, count)) / Float(max(count, 1))
        return time * time * (3 - 2 * time)
    }
}

/// Lets sound come in without a click, over blocks of any length.
package struct FadeIn: Sendable {
    private var passed = AudioLimits.fadeFrames

    package init() {}

    package mutating func begin() { passed = 0 }

    /// 0…1: how much of the sound is heard where the blocks so far ended.
    package var level: Float { Fade.weight(passed, of: AudioLimits.fadeFrames) }

    /// Scales interleaved samples from frame `start` on, up to `end`; by default all that follow.
    package mutating func apply(to samples: inout [Float], from start: Int, until end: Int = .max, channels: Int) {
        guard passed < AudioLimits.fadeFrames else { return }
        let count = min(AudioLimits.fadeFrames - passed, min(end, samples.count / channels) - start)
        for frame in 0..<max(0, count) {
            let weight = Fade.weight(passed + frame, of: AudioLimits.fadeFrames)
            for channel in 0..<channels { samples[(start + frame) * channels + channel] *= weight }
        }
        passed += max(0, count)
    }
}

/// What is still to be heard of something that ended, falling to nothing: added to whatever comes now.
struct FadeOut: Sendable {
    /// Stereo.
    private var samples: [Float] = []
    private var passed = 0

    /// - Parameter samples: stereo, at full level; the fade makes them fall.
    mutating func begin(_ samples: [Float]) {
        self.samples = Self.falling(samples)
        passed = 0
    }

    var isOver: Bool { passed >= samples.count }

    static func falling(_ samples: [Float]) -> [Float] {
        var samples = samples
        let count = samples.count / 2
        for frame in 0..<count {
            let weight = 1 - Fade.weight(frame, of: count)
            samples[2 * frame] *= weight
            samples[2 * frame + 1] *= weight
        }
        return samples
    }

    /// Adds what is left, from frame `start` of the stereo `output` on.
    mutating func add(to output: inout [Float], from start: Int) {
        if isOver { return }
        let count = min(samples.count - passed, output.count - 2 * start)
        for offset in 0..<max(0, count) { output[2 * start + offset] += samples[passed + offset] }
        passed += max(0, count)
    }
}
