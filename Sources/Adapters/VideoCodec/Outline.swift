import CYUV
import Media

extension I420Picture {
    /// Draws what can be seen of an area of another picture from afar: an eighth of its detail, as libyuv brings it back.
    ///
    /// A page of it takes 5 kB, where the coarsest quantiser takes 15 to 25 of detail that nobody can read.
    func drawOutline(of other: I420Picture, in area: PixelRect) {
        let small = PixelSize(width: (area.width + 7) / 8, height: (area.height + 7) / 8)
        let chroma = PixelSize(width: (small.width + 1) / 2, height: (small.height + 1) / 2)
        let (full, half) = (small.area, chroma.area)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: full + 2 * half) { bytes in
            guard let y = bytes.baseAddress else { return }
            let (u, v) = (y + full, y + full + half)
            let (yStride, uvStride) = (Int32(small.width), Int32(chroma.width))
            let (width, height) = (Int32(area.width), Int32(area.height))
            other.withPlanes(of: area) { luma, cb, cr in
                I420Scale(
                    luma, Int32(other.lumaStride), cb, Int32(other.chromaStride), cr, Int32(other.chromaStride), width,
                    height, y, yStride, u, uvStride, v, uvStride, Int32(small.width), Int32(small.height), kFilterBox)
            }
            withPlanes(of: area) { luma, cb, cr in
                I420Scale(
                    y, yStride, u, uvStride, v, uvStride, Int32(small.width), Int32(small.height), luma,
                    Int32(lumaStride), cb, Int32(chromaStride), cr, Int32(chromaStride), width, height, kFilterBilinear)
            }
        }
    }

    private func withPlanes(
        of area: PixelRect,
        _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Int32
    ) {
        _ = withPlanes { y, u, v in
            let chroma = area.y / 2 * chromaStride + area.x / 2
            return body(y + area.y * lumaStride + area.x, u + chroma, v + chroma)
        }
    }
}
