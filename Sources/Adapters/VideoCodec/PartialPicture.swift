import CShims
import CX264
import Media

/// Some rows of a new picture, and around them what decoders show already: x264 finds nothing to code there.
final class PartialPicture {
    private let picture: I420Picture

    init(size: PixelSize) {
        picture = I420Picture(size: size)
    }

    /// - Parameters:
    ///   - rows: those of the new picture that are taken, grown to whole macroblocks.
    ///   - shown: x264's own reconstruction of the last picture, its colours interleaved (NV12).
    func mixed(_ new: I420Picture, rows: Range<Int>, into shown: x264_image_t) -> I420Picture {
        let size = picture.size
        let (luma, chroma) = (shown.plane.0, shown.plane.1)
        guard let luma, let chroma else { return new }
        let taken = (rows.lowerBound & ~15)..<min(size.height, (rows.upperBound + 15) & ~15)
        picture.withPlanes { y, u, v in
            new.withPlanes { newY, newU, newV in
                for row in 0..<size.height {
                    let from = taken.contains(row) ? newY + row * new.lumaStride : luma + row * Int(shown.i_stride.0)
                    (y + row * picture.lumaStride).update(from: from, count: size.width)
                }
                for row in 0..<size.height / 2 {
                    let (outU, outV) = (u + row * picture.chromaStride, v + row * picture.chromaStride)
                    if taken.contains(2 * row) {
                        outU.update(from: newU + row * new.chromaStride, count: size.width / 2)
                        outV.update(from: newV + row * new.chromaStride, count: size.width / 2)
                    } else {
                        shim_split_uv_row(chroma + row * Int(shown.i_stride.1), Int32(size.width / 2), outU, outV)
                    }
                }
            }
        }
        return picture
    }
}
