import Timebase

/// Pulse-code modulated sound of one kind and one format: channels interleaved, full scale from −1 to 1.
package struct AudioBlock: Sendable {
    package var format: AudioFormat
    /// `frameCount` × `format.channels` samples.
    package var samples: [Float]
    /// When the first frame was heard, on the monotonic clock.
    package var capturedAt: Instant
    /// Frames of the longest piece in which the device gave it, where it was read some time after it came; nil: it was read
    /// at once.
    package var longestPiece: Int?

    package init(format: AudioFormat, samples: [Float], capturedAt: Instant, longestPiece: Int? = nil) {
        self.format = format
        self.samples = samples
        self.capturedAt = capturedAt
        self.longestPiece = longestPiece
    }

    package var frameCount: Int { samples.count / format.channels }

    /// When its first frame was heard; a stamp that can't be true counts as "just now".
    package func plausibleCapture(at now: Instant) -> Instant {
        let isTrue = capturedAt <= now && capturedAt >= now - AudioLimits.oldestFrame
        return isTrue ? capturedAt : now - format.duration(frames: frameCount)
    }
}
