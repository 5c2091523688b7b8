/// What a share captures, before it is mixed and encoded: pictures, what the machine plays, and who speaks, each by
/// itself, all on one clock.
public enum ShareSample: Sendable {
    case video(VideoSample)
    case audio(AudioSample, SharedAudio)

    /// Which of the three.
    public enum Kind: Hashable, Sendable, CaseIterable {
        case video
        case systemAudio
        case microphone
    }

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
    /// Even.
    public var width: Int
    public var height: Int
    /// When the source showed it.
    public var capturedAt: ContinuousClock.Instant
}

/// A block of sound as the device gave it.
public struct AudioSample: Sendable {
    /// Interleaved, −1…1.
    public var samples: [Float]
    /// Frames a second, in Hz.
    public var sampleRate: Int
    public var channels: Int
    /// When its first frame was heard.
    public var capturedAt: ContinuousClock.Instant
}
