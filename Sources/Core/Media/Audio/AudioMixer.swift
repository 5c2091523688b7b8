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
        var output = [Float](repeating: 0, count: 2 * frames)
        Self.add(system, through: &self.system, to: &output)
        Self.add(microphone, through: &self.microphone, to: &output)
        limiter.limit(&output)
        return output
    }

    private static func add(_ samples: [Float]?, through fader: inout Fader, to output: inout [Float]) {
        guard let samples else { return fader.pass(frames: output.count / 2) }
        fader.add(samples, to: &output)
    }
}
