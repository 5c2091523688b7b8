import Media

/// A resampler between equal rates, which rests while nothing is to be bent: samples pass as they are, at no cost and
/// without delay, and where sound follows its device's clock without help, as a sound server's does, it rests for good.
/// Used by one thread.
///
///     resting ──(speed ≠ 1)──► bending ──(speed = 1)──► resting
///
/// It is woken with what has just passed in its filter, so that its first sample follows the last that passed. Bent
/// sound ends between two samples of what is to pass; over 5 ms one fades into the other.
package final class RestingResampler: Resampler {
    private let bending: SincResampler
    private let channels: Int
    private var isResting = true
    /// What passed last, for the filter: as much as that holds, and often a whole block, which costs no copy.
    private var passed: [Float] = []
    /// Of what the filter gives, so many samples have passed already.
    private var toLeaveOut = 0
    /// Where in the input the next frame of bent sound is: frames before the end of all that went in.
    private var behind = 0.0
    private var bent: [Float] = []

    /// - Parameter format: of what comes in and goes out.
    package init(_ format: AudioFormat) throws(CodecError) {
        bending = try SincResampler(from: format, to: format.sampleRate)
        channels = format.channels
    }

    package var delay: Duration { isResting ? .zero : bending.delay }
    package var longestDelay: Duration { bending.delay }

    package func process(_ input: [Float], speed: Double, into output: inout [Float]) {
        // A broken frame at the end is left out.
        let whole = input.count / channels * channels
        guard whole > 0 else { return }
        let speed = speed.isFinite ? min(max(speed, Limits.speed.lowerBound), Limits.speed.upperBound) : 1
        if speed != 1 {
            let atOnce = isResting ? min(whole, contextSamples) : 0
            if isResting {
                wake()
                // What is in the filter still follows what passed.
                bend(Array(input[..<atOnce]), speed: 1)
                output += bent
            }
            bend(Array(input[atOnce..<whole]), speed: speed)
            output += bent
        } else if isResting {
            output += input[..<whole]
        } else if whole >= contextSamples {
            rest(on: input, whole, into: &output)
        } else {
            // Shorter than what the filter still holds.
            bend(Array(input[..<whole]), speed: 1)
            output += bent
        }
        remember(input, whole)
    }

    // MARK: Resting and bending

    private var contextSamples: Int { Limits.contextFrames * channels }

    private func remember(_ input: [Float], _ count: Int) {
        if count == input.count, count >= contextSamples { return passed = input }
        passed = Array((passed.suffix(contextSamples) + input[..<count]).suffix(contextSamples))
    }

    private func wake() {
        isResting = false
        bending.reset()
        behind = 0
        toLeaveOut = 0
        let context = Array(passed.suffix(contextSamples))
        bend(context, speed: 1)
        toLeaveOut = max(0, context.count / channels - bent.count / channels)
    }

    /// Into `bent`.
    private func bend(_ input: [Float], speed: Double) {
        bent.removeAll(keepingCapacity: true)
        bending.process(input, speed: speed, into: &bent)
        behind += Double(input.count / channels) - Double(bent.count / channels) * speed
        let leftOut = min(toLeaveOut, bent.count / channels)
        toLeaveOut -= leftOut
        bent.removeFirst(leftOut * channels)
    }

    /// What was bent comes to its end, and fades into `input`.
    private func rest(on input: [Float], _ count: Int, into output: inout [Float]) {
        let ending = max(0, Int(behind.rounded()) - toLeaveOut) * channels
        bend(input, speed: 1)
        output += bent.prefix(ending)
        let fade = min(max(0, bent.count - ending), count, Limits.fadeFrames * channels)
        for index in 0..<fade {
            let weight = Float(index / channels + 1) / Float(fade / channels + 1)
            output.append(bent[ending + index] * (1 - weight) + input[index] * weight)
        }
        output += input[fade..<count]
        isResting = true
    }
}
