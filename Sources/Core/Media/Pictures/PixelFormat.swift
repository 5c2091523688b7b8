/// How a captured or pushed picture lies in memory.
package enum PixelFormat: Hashable, Sendable {
    /// Bytes B, G, R, X (X11 depth 24 on a little-endian machine); X is ignored.
    case bgra
    /// 32-bit little-endian words with 10 bits each of R, G, B from bit 20, 10 and 0 (X11 depth 30).
    case bgr10
    /// A Y plane and one plane of interleaved U and V, each at half width and height (BT.709 limited).
    case nv12
    /// Planes Y, U, V; U and V at half width and height (BT.709 limited).
    case i420
}

/// A plane within a `PixelBuffer`: where it starts and how many bytes lie between the starts of two rows.
package struct Plane: Hashable, Sendable {
    package var offset: Int
    package var bytesPerRow: Int
    /// Bytes of pixels in a row, and the number of rows.
    package var rowBytes: Int
    package var rows: Int

    package init(offset: Int, bytesPerRow: Int, rowBytes: Int, rows: Int) {
        self.offset = offset
        self.bytesPerRow = bytesPerRow
        self.rowBytes = rowBytes
        self.rows = rows
    }
}

extension PixelFormat {
    /// The planes of a picture laid out without gaps but for the given row stride of the first plane.
    package func planes(size: PixelSize, bytesPerRow: Int? = nil) -> [Plane] {
        let halfWidth = (size.width + 1) / 2
        let halfHeight = (size.height + 1) / 2
        func plane(_ offset: Int, _ stride: Int, _ rowBytes: Int, _ rows: Int) -> Plane {
            Plane(offset: offset, bytesPerRow: stride, rowBytes: rowBytes, rows: rows)
        }
        switch self {
        case .bgra, .bgr10:
            return [plane(0, bytesPerRow ?? size.width * 4, size.width * 4, size.height)]
        case .nv12:
            let stride = bytesPerRow ?? size.width
            return [
                plane(0, stride, size.width, size.height),
                plane(stride * size.height, stride + stride % 2, halfWidth * 2, halfHeight),
            ]
        case .i420:
            let stride = bytesPerRow ?? size.width
            let chroma = (stride + 1) / 2
            let luma = stride * size.height
            return [
                plane(0, stride, size.width, size.height),
                plane(luma, chroma, halfWidth, halfHeight),
                plane(luma + chroma * halfHeight, chroma, halfWidth, halfHeight),
            ]
        }
    }
}
