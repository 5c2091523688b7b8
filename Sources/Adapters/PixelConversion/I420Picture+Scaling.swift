import CYUV
import Media

extension I420Picture {
    /// Fills a smaller picture with this one: each pixel the mean of those that it covers.
    package func scale(to small: I420Picture) {
        withPlanes { y, u, v in
            small.withPlanes { smallY, smallU, smallV in
                _ = I420Scale(
                    y, Int32(lumaStride), u, Int32(chromaStride), v, Int32(chromaStride), Int32(size.width),
                    Int32(size.height), smallY, Int32(small.lumaStride), smallU, Int32(small.chromaStride), smallV,
                    Int32(small.chromaStride), Int32(small.size.width), Int32(small.size.height), kFilterBox)
            }
        }
    }
}
