import Timebase

/// One moment of a source: its pixels, when they were taken, and what of them changed since the frame before.
package struct ScreenFrame {
    package var pixels: PixelBuffer
    /// When the pixels were taken (monotonic clock of this machine).
    package var capturedAt: Instant
    /// What it shows was there then: before, where it took a while to draw.
    package var moment: Instant
    /// When the source drew what is new in it, as far as it tells; else when it was taken.
    package var drawnAt: Instant
    /// The changed area, in pixels of `pixels`; the whole picture where that is not known.
    package var damage: PixelRect
    /// What of it the source itself drew: all but what only the pointer changed.
    package var content: PixelRect
    /// The same more closely: the few areas, each far from the others, that the source drew. None where it drew nothing.
    package var parts: [PixelRect]
    /// Where the pointer is drawn.
    package var pointer: PixelRect

    /// - Parameters:
    ///   - moment: by default when it was taken.
    ///   - drawnAt: by default when it was taken.
    ///   - content: by default all of the damage.
    ///   - parts: by default the content as a whole.
    package init(
        pixels: PixelBuffer, capturedAt: Instant, moment: Instant? = nil, drawnAt: Instant? = nil, damage: PixelRect,
        content: PixelRect? = nil, parts: [PixelRect]? = nil, pointer: PixelRect = .nothing
    ) {
        self.pixels = pixels
        self.capturedAt = capturedAt
        self.moment = moment ?? capturedAt
        self.drawnAt = drawnAt ?? capturedAt
        self.damage = damage
        let content = content ?? damage
        self.content = content
        self.parts = parts ?? (content.isEmpty ? [] : [content])
        self.pointer = pointer
    }
}
