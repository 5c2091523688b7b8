import Media

/// Brings a source's pictures into one persistent picture for the encoders: BT.709 limited, chroma samples in the
/// centre of their two by two pixels, at the size and place that the geometry says. What lies outside the content stays
/// black.
///
/// Only what changed is converted; the result is the same, bit for bit, as if everything had been.
package final class PictureConverter {
    /// The source's size; pictures of another one need another converter.
    package let source: PixelSize
    package let geometry: FitGeometry
    package let picture: I420Picture
    private var format: PixelFormat?
    private var unscaled: UnscaledPath?
    private var scaled: ScaledPath?

    package init(source: PixelSize, geometry: FitGeometry) {
        self.source = source
        self.geometry = geometry
        picture = I420Picture(size: geometry.picture)
    }

    /// Converts what changed; everything, where the format is not that of the picture before.
    ///
    /// - Returns: what changed in `picture`; empty where nothing did, or where the frame is not of the source's size.
    @discardableResult
    package func convert(_ frame: ScreenFrame) -> PixelRect {
        guard let area = area(of: frame) else { return .nothing }
        SourcePlanes.lend(frame.pixels) { planes in
            ContentPlanes.lend(picture, content: geometry.content) { content in
                if let scaled {
                    scaled.convert(planes, outputs: area, into: content)
                } else {
                    unscaled?.convert(planes, area: area, into: content)
                }
            }
        }
        return inPicture(area)
    }

    /// What of the content depends on what changed; nil where nothing does.
    private func area(of frame: ScreenFrame) -> PixelRect? {
        guard frame.pixels.size == source else { return nil }
        var damage = frame.damage.intersection(PixelRect(source))
        if frame.pixels.format != format {
            open(frame.pixels.format)
            damage = PixelRect(source)
        }
        if damage.isEmpty { return nil }
        return scaled?.outputs(touching: damage) ?? Self.evenly(damage, in: source)
    }

    private func inPicture(_ area: PixelRect) -> PixelRect {
        PixelRect(
            x: geometry.content.x + area.x, y: geometry.content.y + area.y, width: (area.width + 1) & ~1,
            height: (area.height + 1) & ~1)
    }

    private func open(_ format: PixelFormat) {
        self.format = format
        if geometry.isUnscaled {
            unscaled = UnscaledPath(format: format, size: source)
        } else {
            scaled = ScaledPath(format: format, size: source, output: geometry.content.size)
        }
    }

    /// The area grown to whole chroma samples, within the picture.
    private static func evenly(_ area: PixelRect, in size: PixelSize) -> PixelRect {
        let left = area.x & ~1
        let top = area.y & ~1
        let right = min(size.width, (area.maxX + 1) & ~1)
        let bottom = min(size.height, (area.maxY + 1) & ~1)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
