/// By how much a frame looks different from the one before, where its source says that it changed.
package struct FrameDifference: Hashable, Sendable {
    /// What was compared, in pixels of the source.
    package var area: PixelRect
    /// Of its rows, the share that looks different; 0 for a repeat.
    package var changed: Double
    /// Of those, the share that stood elsewhere before, up or down: scrolled.
    package var moved: Double
    /// The share that stood elsewhere before, sideways or slantwise; not looked for where `moved` says enough.
    package var panned: Double
    /// Something differs where the pointer is or was: that may be the pointer alone.
    package var isHidden: Bool

    package init(area: PixelRect, changed: Double, moved: Double = 0, panned: Double = 0, isHidden: Bool = false) {
        self.area = area
        self.isHidden = isHidden
        self.changed = changed
        self.moved = moved
        self.panned = panned
    }

    package var isNew: Bool { changed > 0 }
}
