import Media

/// The pointer in the picture, and what it hides there.
///
/// The picture is kept from frame to frame, so the pointer is taken off before anything is fetched and put on after.
struct CursorOverlay {
    /// Nil while the server shows none.
    var image: CursorImage? {
        didSet { version += 1 }
    }
    /// Where the pointer is in the picture; nil while it is not over it.
    var point: PixelPoint?
    private var version = 0
    private var last = Drawing()
    private var saved: [UInt32]?

    /// What was drawn: where, how, and by which version of the shape.
    private struct Drawing: Equatable {
        var rect = PixelRect.nothing
        var point: PixelPoint?
        var version = 0
    }

    /// Where it is drawn.
    var place: PixelRect { last.rect }

    private func wanted(in size: PixelSize) -> Drawing {
        guard let image, let point else { return Drawing() }
        let rect = image.rect(at: point).intersection(PixelRect(size))
        return rect.isEmpty ? Drawing() : Drawing(rect: rect, point: point, version: version)
    }

    /// Whether it is not drawn as it should be.
    func needsDrawing(in size: PixelSize) -> Bool { wanted(in: size) != last }

    /// Whether it was taken off and not drawn again.
    var isLifted: Bool { saved == nil && !last.rect.isEmpty }

    /// Puts back the pixels beneath it.
    mutating func lift(from picture: Picture) {
        guard let saved else { return }
        self.saved = nil
        let rect = last.rect
        for row in 0..<rect.height {
            picture.withRow(rect.y + row, columns: rect.x..<rect.maxX) { pixels in
                _ = pixels.update(fromContentsOf: saved[row * rect.width..<(row + 1) * rect.width])
            }
        }
    }

    /// Draws it where it belongs, and saves the pixels beneath it.
    /// - Returns: what that changed since it was last drawn.
    mutating func draw(on picture: Picture) -> PixelRect {
        lift(from: picture)
        let next = wanted(in: picture.size)
        let changed = next == last ? .nothing : next.rect.union(last.rect)
        last = next
        guard let image, let point, !next.rect.isEmpty else { return changed }
        let corner = image.rect(at: point)
        var beneath: [UInt32] = []
        beneath.reserveCapacity(next.rect.size.area)
        for row in next.rect.y..<next.rect.maxY {
            let start = (row - corner.y) * image.width + next.rect.x - corner.x
            picture.withRow(row, columns: next.rect.x..<next.rect.maxX) { pixels in
                beneath.append(contentsOf: pixels)
                picture.pixels.format.blend(image.pixels[start..<start + next.rect.width], over: pixels)
            }
        }
        saved = beneath
        return changed
    }

    /// Forgets what is beneath it, because the picture is another one.
    mutating func forget() {
        saved = nil
        last = Drawing()
    }
}

extension PixelFormat {
    /// Draws premultiplied ARGB over pixels.
    fileprivate func blend(_ source: ArraySlice<UInt32>, over pixels: UnsafeMutableBufferPointer<UInt32>) {
        let (bits, maximum): (UInt32, UInt32) = self == .bgr10 ? (10, 1023) : (8, 255)
        for (index, color) in zip(pixels.indices, source) {
            let alpha = color >> 24
            if alpha == 0 { continue }
            var result: UInt32 = 0
            for channel: UInt32 in 0..<3 {
                let above = (color >> (channel * 8) & 0xFF) * maximum / 255
                let below = pixels[index] >> (channel * bits) & maximum
                let sum = above + (below * (255 - alpha) + 127) / 255
                result |= min(sum, maximum) << (channel * bits)
            }
            pixels[index] = result
        }
    }
}
