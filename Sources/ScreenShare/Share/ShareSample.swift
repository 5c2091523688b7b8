/// What a share captures, before it is mixed and encoded: pictures, what the machine plays, and who speaks, each by
/// itself, all on one clock.
@nonexhaustive public enum ShareSample: Sendable {
    /// A picture that shows something new.
    case video(VideoSample)
    /// A block of one source's sound.
    case audio(AudioSample, SharedAudio)

    /// Which of the three.
    @nonexhaustive public enum Kind: Hashable, Sendable, CaseIterable {
        /// Pictures, before they are encoded.
        case video
        /// `SharedAudio.system`, before it is mixed.
        case systemAudio
        /// `SharedAudio.microphone`, before it is mixed.
        case microphone
    }

    /// What a reader asks `ShareSession.samples` for.
    public var kind: Kind {
        switch self {
        case .video: .video
        case .audio(_, .system): .systemAudio
        case .audio(_, .microphone): .microphone
        }
    }
}

/// A picture as the encoder gets it: scaled, upright, one of each change.
public struct VideoSample: Sendable {
    /// Planes Y, U and V back to back without padding, U and V of half the width and height; 8 bits, BT.709, limited range.
    public var i420: [UInt8]
    /// In pixels, even.
    public var width: Int
    /// In rows, even.
    public var height: Int
    /// When the source showed it.
    public var capturedAt: ContinuousClock.Instant
}

/// A block of sound as the device gave it; what is pushed into a `CustomAudioSource` has become stereo.
public struct AudioSample: Sendable {
    /// Interleaved; full scale is −1…1, which devices that give floats may go beyond.
    public var samples: [Float]
    /// Frames a second, in Hz.
    public var sampleRate: Int
    /// Samples in each frame, in the device's order.
    public var channels: Int
    /// When its first frame was heard.
    public var capturedAt: ContinuousClock.Instant
}
