import CShims
import CX264
import Media

/// Some areas of a new picture, and around them what decoders show already: x264 finds nothing to code there.
///
/// It is kept from picture to picture, so that only those areas are copied.
final class PartialPicture {
    private let picture: I420Picture
    /// Where decoders show something else by now; nil for anywhere.
    private var stale: [PixelRect]?

    init(size: PixelSize) {
        picture = I420Picture(size: size)
    }

    /// A whole picture was coded.
    func forget() { stale = nil }

    /// - Parameters:
    ///   - areas: what is taken of the new picture, grown to whole macroblocks.
    ///   - kept: what of it stays as it is shown, likewise.
    ///   - shown: x264's own reconstruction of the last picture, its colours interleaved (NV12).
    func mixed(
        _ new: I420Picture, areas: [PixelRect], but kept: [PixelRect] = [], into shown: x264_image_t
    ) -> I420Picture {
        let whole = PixelRect(picture.size)
        (stale ?? [whole]).forEach { restore($0, from: shown) }
        let areas = areas.map { $0.onMacroblocks.intersection(whole) }
        areas.forEach { take($0, of: new) }
        kept.forEach { restore($0.onMacroblocks.intersection(whole), from: shown) }
        // The filter between macroblocks reaches into those beside.
        stale = areas.map { $0.grown(by: 16).intersection(whole) }
        return picture
    }

    /// The same, with no more than an outline of the area.
    func outlined(_ new: I420Picture, area: PixelRect, into shown: x264_image_t) -> I420Picture {
        let whole = PixelRect(picture.size)
        let area = area.onMacroblocks.intersection(whole)
        if area != whole { (stale ?? [whole]).forEach { restore($0, from: shown) } }
        picture.drawOutline(of: new, in: area)
        stale = [area.grown(by: 16).intersection(whole)]
        return picture
    }

    private func restore(_ area: PixelRect, from shown: x264_image_t) {
        guard let luma = shown.plane.0, let chroma = shown.plane.1 else { return }
        let (lumaStride, chromaStride) = (Int(shown.i_stride.0), Int(shown.i_stride.1))
        picture.withPlanes { y, u, v in
            for row in area.y..<area.maxY {
                (y + row * picture.lumaStride + area.x).update(
                    from: luma + row * lumaStride + area.x, count: area.width)
            }
            for row in area.y / 2..<area.maxY / 2 {
                let start = row * picture.chromaStride + area.x / 2
                shim_split_uv_row(chroma + row * chromaStride + area.x, Int32(area.width / 2), u + start, v + start)
            }
        }
    }

    private func take(_ area: PixelRect, of new: I420Picture) {
        picture.withPlanes { y, u, v in
            new.withPlanes { newY, newU, newV in
                for row in area.y..<area.maxY {
                    let start = row * picture.lumaStride + area.x
                    (y + start).update(from: newY + start, count: area.width)
                }
                for row in area.y / 2..<area.maxY / 2 {
                    let start = row * picture.chromaStride + area.x / 2
                    (u + start).update(from: newU + start, count: area.width / 2)
                    (v + start).update(from: newV + start, count: area.width / 2)
                }
            }
        }
    }
}
