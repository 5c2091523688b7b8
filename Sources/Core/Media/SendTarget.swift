import Timebase

/// What the network wants of an encoder: the only value that flows backwards.
package struct SendTarget: Hashable, Sendable {
    package var bitsPerSecond: Int
    package var frameRate: FrameRate
    package var needsKeyframe: Bool

    package init(bitsPerSecond: Int, frameRate: FrameRate, needsKeyframe: Bool = false) {
        self.bitsPerSecond = bitsPerSecond
        self.frameRate = frameRate
        self.needsKeyframe = needsKeyframe
    }
}
