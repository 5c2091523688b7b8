import Media
import Timebase
import VideoCodec

/// The preset that the processor has room for: the one asked for, or one below it.
struct EncoderEffort {
    private let steps: [X264Configuration.Preset]
    private var budget: CPUBudget

    init(_ preset: X264Configuration.Preset) {
        steps = preset.steps
        budget = CPUBudget(steps: steps.count - 1)
    }

    var preset: X264Configuration.Preset { steps[budget.step] }
    var isLeast: Bool { preset == steps.last }

    /// Takes note of the work on a picture.
    /// - Returns: whether it is another preset now.
    mutating func spent(_ busy: Duration, of period: Duration, at now: Instant) -> Bool {
        budget.spent(busy, of: period, at: now)
    }
}

extension EncoderPreset {
    init(_ preset: X264Configuration.Preset) {
        self = EncoderPreset(rawValue: preset.rawValue) ?? .ultrafast
    }

    var preset: X264Configuration.Preset { X264Configuration.Preset(rawValue: rawValue) ?? .ultrafast }
}
