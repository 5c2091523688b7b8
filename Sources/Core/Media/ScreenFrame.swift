import Timebase

/// One moment of a source: its pixels, when they were taken, and what of them changed since the frame before.
package struct ScreenFrame {
    package var pixels: PixelBuffer
    /// When the pixels were taken (monotonic clock of this machine).
    package var capturedAt: Instant
    /// The changed area, in pixels of `pixels`; the whole picture where that is not known.
    package var damage: PixelRect

    package init(pixels: PixelBuffer, capturedAt: Instant, damage: PixelRect) {
        self.pixels = pixels
        self.capturedAt = capturedAt
        self.damage = damage
    }
}
