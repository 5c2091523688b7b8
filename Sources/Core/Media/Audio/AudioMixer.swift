/// Makes one stereo signal of system sound and microphone.
package struct AudioMixer: Sendable {
    package var faders = PerKind(system: Fader(), microphone: Fader())
    private var limiter = PeakLimiter()

    package init() {}

    /// One packet of `frames`, stereo: silence where both sources give nothing.
    package mutating func mix(system: [Float]?, microphone: [Float]?, frames: Int) -> [Float] {
        var output = faders.system.faded(system, frames: frames)
        faders.microphone.add(microphone, to: &output)
        limiter.limit(&output)
        return output
    }
}
