/// How loud one source is in the mix. Changes take 15 ms along a curve without corners, so that none is heard as a
/// click.
package struct Fader: Sendable {
    package var gain = Gain.unity { didSet { aim() } }
    package var isMuted = false { didSet { aim() } }
    private var from: Float = 1
    private var to: Float = 1
    private var passed = AudioLimits.gainFrames

    package init() {}

    private var isMoving: Bool { passed < AudioLimits.gainFrames }

    private func level(after frames: Int) -> Float {
        from + (to - from) * Fade.weight(frames, of: AudioLimits.gainFrames)
    }

    private mutating func aim() {
        let wanted = isMuted ? 0 : gain.factor
        guard wanted != to else { return }
        from = isMoving ? level(after: passed) : to
        to = wanted
        passed = 0
    }

    /// So many frames of stereo `samples` as loud as they are to be; silence where there are none.
    mutating func faded(_ samples: [Float]?, frames: Int) -> [Float] {
        // As a rule it stands still, and open.
        if let samples, samples.count == 2 * frames, to == 1, !isMoving { return samples }
        var output = [Float](repeating: 0, count: 2 * frames)
        add(samples, to: &output)
        return output
    }

    /// Adds stereo `samples` to as many of the `output`; nil: the source gave nothing for so long.
    mutating func add(_ samples: [Float]?, to output: inout [Float]) {
        guard let samples else { return pass(frames: output.count / 2) }
        let count = min(samples.count, output.count)
        let moving = isMoving ? min(count, 2 * (AudioLimits.gainFrames - passed)) : 0
        for index in 0..<moving { output[index] += samples[index] * level(after: passed + index / 2) }
        pass(frames: count / 2)
        guard moving < count, to != 0 else { return }
        let level = to
        samples.withUnsafeBufferPointer { samples in
            output.withUnsafeMutableBufferPointer { output in
                guard let samples = samples.baseAddress, let output = output.baseAddress else { return }
                var index = moving
                while index < count {
                    output[index] += samples[index] * level
                    index += 1
                }
            }
        }
    }

    private mutating func pass(frames: Int) {
        if isMoving { passed = min(AudioLimits.gainFrames, passed + frames) }
    }
}
