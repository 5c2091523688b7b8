/// Folds any number of channels into two; those of a surround layout as ITU-R BS.775 does.
///
/// The front keeps its level, so that what was made for two channels sounds the same in any layout. Loud surround sound
/// may therefore exceed ±1 (by 7.7 dB in 5.1 at worst), which is for a limiter.
package struct ChannelMap: Hashable, Sendable {
    private struct Tap: Hashable, Sendable {
        let channel: Int
        let left: Float
        let right: Float
    }

    /// How many samples a frame of input has.
    package let channels: Int
    /// The channels that are heard.
    private let taps: [Tap]
    /// It is known which channel is which.
    private let hasNames: Bool

    /// - Parameter positions: of the channels in their order; beyond `MediaLimits.channels` none is heard.
    package init(_ positions: [ChannelPosition]) {
        self.init(positions, of: positions.count, hasNames: true)
    }

    private init(_ positions: [ChannelPosition], of channels: Int, hasNames: Bool) {
        self.channels = channels
        self.hasNames = hasNames
        taps = positions.prefix(MediaLimits.channels).enumerated().compactMap { channel, position in
            Self.gains(of: position).map { Tap(channel: channel, left: $0.left, right: $0.right) }
        }
        isStereo = channels == 2 && taps == [Tap(channel: 0, left: 1, right: 0), Tap(channel: 1, left: 0, right: 1)]
    }

    /// Channels without names: one is mono, four to six and eight are a surround layout in the order of ALSA. Of three that
    /// knows none: PulseAudio takes the third for the front's centre. Of any other number the first two are left and right.
    package init(channels: Int) {
        let surround: [ChannelPosition] = [
            .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency, .sideLeft, .sideRight,
        ]
        let positions: [ChannelPosition] =
            switch channels {
            case ...0: []
            case 1: [.mono]
            case 3: [.frontLeft, .frontRight, .frontCentre]
            case 4...6, 8: Array(surround.prefix(channels))
            default: [.frontLeft, .frontRight]
            }
        self.init(positions, of: max(0, channels), hasNames: false)
    }

    /// Channels without names are a surround layout only in what is played. Those of a microphone, from three on, are a sound
    /// card's inputs, and who speaks may be at any of them: each is heard on both sides.
    package func heard(as kind: AudioKind) -> ChannelMap {
        switch kind {
        case .system: return self
        case .microphone:
            if hasNames || channels < 3 { return self }
            let inputs = [ChannelPosition](repeating: .mono, count: min(channels, MediaLimits.channels))
            return ChannelMap(inputs, of: channels, hasNames: false)
        }
    }

    /// As they sound, whoever named the channels.
    package static func == (one: ChannelMap, other: ChannelMap) -> Bool {
        one.channels == other.channels && one.taps == other.taps
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(channels)
        hasher.combine(taps)
    }

    private static func gains(of position: ChannelPosition) -> (left: Float, right: Float)? {
        let half = Float(0.5).squareRoot()
        return switch position {
        case .mono: (1, 1)
        case .frontLeft: (1, 0)
        case .frontRight: (0, 1)
        case .frontCentre: (half, half)
        case .rearCentre: (0.5, 0.5)
        case .rearLeft, .sideLeft: (half, 0)
        case .rearRight, .sideRight: (0, half)
        case .lowFrequency, .other: nil
        }
    }

    /// Left and right as they are.
    private let isStereo: Bool

    /// - Parameter samples: interleaved; a broken frame at the end is left out.
    /// - Returns: as many frames of left and right.
    package func stereo(_ samples: [Float]) -> [Float] {
        guard channels > 0 else { return [] }
        let frames = samples.count / channels
        if isStereo { return 2 * frames == samples.count ? samples : Array(samples.prefix(2 * frames)) }
        var output = [Float](repeating: 0, count: 2 * frames)
        samples.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                for tap in taps { add(tap, of: input, to: output, frames: frames) }
            }
        }
        return output
    }

    private func add(
        _ tap: Tap, of input: UnsafeBufferPointer<Float>, to output: UnsafeMutableBufferPointer<Float>, frames: Int
    ) {
        var frame = 0
        while frame < frames {
            let sample = input[frame * channels + tap.channel]
            output[2 * frame] += tap.left * sample
            output[2 * frame + 1] += tap.right * sample
            frame += 1
        }
    }
}
