/// Makes one stereo signal of system sound and microphone.
package struct AudioMixer: Sendable {
    private var system = Fader()
    private var microphone = Fader()
    private var limiter = PeakLimiter()

    package init() {}

    package subscript(kind: AudioKind) -> Fader {
        get {
            switch kind {
            case .system: system
            case .microphone: microphone
            }
        }
        set {
            switch kind {
            case .system: system = newValue
            case .microphone: microphone = newValue
            }
        }
    }

    /// One packet of `frames`, stereo: silence where both sources give nothing.
    package mutating func mix(system: [Float]?, microphone: [Float]?, frames: Int) -> [Float] {
        var output = self.system.faded(system, frames: frames)
        self.microphone.add(microphone, to: &output)
        limiter.limit(&output)
        return output
    }
}
