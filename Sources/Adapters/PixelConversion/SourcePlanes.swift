import Media

/// The planes of a source picture, for the time of one call.
struct SourcePlanes {
    let format: PixelFormat
    let size: PixelSize
    private let starts: (RowKernels.Row, RowKernels.Row, RowKernels.Row)
    private let strides: (Int, Int, Int)

    /// Lends the planes; `body` must not keep them. Formats of fewer planes repeat the last one.
    static func lend(_ buffer: PixelBuffer, _ body: (SourcePlanes) -> Void) {
        let last = buffer.planes.count - 1
        buffer.withPlane(0) { first, firstStride in
            buffer.withPlane(min(1, last)) { second, secondStride in
                buffer.withPlane(min(2, last)) { third, thirdStride in
                    body(
                        SourcePlanes(
                            format: buffer.format, size: buffer.size, starts: (first, second, third),
                            strides: (firstStride, secondStride, thirdStride)))
                }
            }
        }
    }

    private init(
        format: PixelFormat, size: PixelSize, starts: (RowKernels.Row, RowKernels.Row, RowKernels.Row),
        strides: (Int, Int, Int)
    ) {
        self.format = format
        self.size = size
        self.starts = starts
        self.strides = strides
    }

    func first(_ row: Int) -> RowKernels.Row { starts.0 + row * strides.0 }
    func second(_ row: Int) -> RowKernels.Row { starts.1 + row * strides.1 }
    func third(_ row: Int) -> RowKernels.Row { starts.2 + row * strides.2 }
}

extension PixelFormat {
    /// Of the first plane.
    var bytesPerPixel: Int {
        switch self {
        case .bgra, .bgr10: 4
        case .nv12, .i420: 1
        }
    }

    /// What counts of eight bytes of the first plane: all but a pixel's spare bits.
    var mask: UInt64 {
        switch self {
        case .bgra: 0x00FF_FFFF_00FF_FFFF
        case .bgr10: 0x3FFF_FFFF_3FFF_FFFF
        case .nv12, .i420: .max
        }
    }
}

/// The content area of an encoder's picture, for the time of one call; its corner is even.
struct ContentPlanes {
    private let luma: RowKernels.MutableRow
    private let u: RowKernels.MutableRow
    private let v: RowKernels.MutableRow
    private let lumaStride: Int
    private let chromaStride: Int

    /// Lends the planes; `body` must not keep them.
    static func lend(_ picture: I420Picture, content: PixelRect, _ body: (ContentPlanes) -> Void) {
        picture.withPlanes { luma, u, v in
            let chroma = content.y / 2 * picture.chromaStride + content.x / 2
            body(
                ContentPlanes(
                    luma: luma + content.y * picture.lumaStride + content.x, u: u + chroma, v: v + chroma,
                    lumaStride: picture.lumaStride, chromaStride: picture.chromaStride))
        }
    }

    private init(
        luma: RowKernels.MutableRow, u: RowKernels.MutableRow, v: RowKernels.MutableRow, lumaStride: Int,
        chromaStride: Int
    ) {
        self.luma = luma
        self.u = u
        self.v = v
        self.lumaStride = lumaStride
        self.chromaStride = chromaStride
    }

    func luma(_ row: Int) -> RowKernels.MutableRow { luma + row * lumaStride }
    func u(_ row: Int) -> RowKernels.MutableRow { u + row * chromaStride }
    func v(_ row: Int) -> RowKernels.MutableRow { v + row * chromaStride }
}
