import Timebase

/// What an encoder is to keep to with its next picture.
package struct SendTarget: Hashable, Sendable {
    package var bitsPerSecond: Int
    package var frameRate: FrameRate
    package var needsKeyframe: Bool

    package init(bitsPerSecond: Int, frameRate: FrameRate, needsKeyframe: Bool = false) {
        self.bitsPerSecond = bitsPerSecond
        self.frameRate = frameRate
        self.needsKeyframe = needsKeyframe
    }

    /// What sound may take of a share's bit rate: an eighth, for pictures suffer more; speech is good from 24 kbit/s on,
    /// and below 16 nothing is.
    package static func sound(of bitsPerSecond: Int, atMost maximum: Int) -> Int {
        max(16_000, min(maximum, bitsPerSecond / 8))
    }
}
