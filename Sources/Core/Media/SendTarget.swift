import Timebase

/// What an encoder is to keep to with its next picture.
package struct SendTarget: Hashable, Sendable {
    package var bitsPerSecond: Int
    package var frameRate: FrameRate
    package var needsKeyframe: Bool
    /// Where the bits are too few, pictures become fewer before they become coarse.
    package var favoursSharpness: Bool

    package init(
        bitsPerSecond: Int, frameRate: FrameRate, needsKeyframe: Bool = false, favoursSharpness: Bool = false
    ) {
        self.bitsPerSecond = bitsPerSecond
        self.frameRate = frameRate
        self.needsKeyframe = needsKeyframe
        self.favoursSharpness = favoursSharpness
    }
}
