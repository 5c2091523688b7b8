import CYUV
import Media

extension PixelBuffer {
    /// The same picture turned to stand upright, by libyuv; NV12 comes back as I420. Nil for ten-bit colours, which only
    /// screens have, and those are upright.
    package func upright(_ orientation: Orientation) -> PixelBuffer? {
        if orientation == .topLeft { return self }
        // libyuv turns packed colours by a quarter only where each row begins on a whole pixel.
        if self.format == .bgra, orientation.isTurned, planes[0].bytesPerRow % 4 != 0 { return packed()?.upright(orientation) }
        let format: PixelFormat = self.format == .bgra ? .bgra : .i420
        let size =
            orientation.isTurned ? PixelSize(width: self.size.height, height: self.size.width) : self.size
        let planes = format.planes(size: size)
        let count = planes.map { $0.offset + $0.rows * $0.bytesPerRow }.max() ?? 0
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        let starts = planes.map { memory.baseAddress?.advanced(by: $0.offset).assumingMemoryBound(to: UInt8.self) }
        let outputs: [Output] = zip(starts, planes).map { ($0, Int32($1.bytesPerRow)) }
        guard turn(orientation, into: outputs),
            let turned = PixelBuffer(
                format: format, size: size, planes: planes, bytes: UnsafeRawBufferPointer(memory),
                release: { memory.deallocate() })
        else {
            memory.deallocate()
            return nil
        }
        for plane in outputs.dropFirst() { orientation.centre(plane, of: size) }
        return turned
    }

    /// Without padding.
    private func packed() -> PixelBuffer? {
        let rowBytes = size.width * 4
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: rowBytes * size.height, alignment: 64)
        let start = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
        withPlane(0) { source, bytesPerRow in
            CopyPlane(source, Int32(bytesPerRow), start, Int32(rowBytes), Int32(rowBytes), Int32(size.height))
        }
        return PixelBuffer(
            format: .bgra, size: size, planes: PixelFormat.bgra.planes(size: size), bytes: UnsafeRawBufferPointer(memory),
            release: { memory.deallocate() })
    }

    fileprivate typealias Output = (start: UnsafeMutablePointer<UInt8>?, bytesPerRow: Int32)

    private func turn(_ orientation: Orientation, into outputs: [Output]) -> Bool {
        let width = Int32(size.width)
        // A negative height flips the picture before it is turned.
        let height = orientation.isMirrored ? -Int32(size.height) : Int32(size.height)
        let mode = orientation.rotation
        var result: Int32 = -1
        SourcePlanes.lend(self) { source in
            let strides = planes.map { Int32($0.bytesPerRow) }
            switch format {
            case .bgra:
                result = ARGBRotate(
                    source.first(0), strides[0], outputs[0].start, outputs[0].bytesPerRow, width, height, mode)
            case .nv12:
                result = NV12ToI420Rotate(
                    source.first(0), strides[0], source.second(0), strides[1], outputs[0].start,
                    outputs[0].bytesPerRow, outputs[1].start, outputs[1].bytesPerRow, outputs[2].start,
                    outputs[2].bytesPerRow, width, height, mode)
            case .i420:
                result = I420Rotate(
                    source.first(0), strides[0], source.second(0), strides[1], source.third(0), strides[2],
                    outputs[0].start, outputs[0].bytesPerRow, outputs[1].start, outputs[1].bytesPerRow,
                    outputs[2].start, outputs[2].bytesPerRow, width, height, mode)
            case .bgr10: break
            }
        }
        return result == 0
    }
}

extension Orientation {
    /// Where a side of odd length begins at its other end now, so do the pairs of columns or rows that share a sample of
    /// chroma: each lies between two of before. libyuv moves samples whole, half of one beside their pixels.
    ///
    /// - Parameter size: of the upright picture.
    fileprivate func centre(_ plane: PixelBuffer.Output, of size: PixelSize) {
        guard let start = plane.start else { return }
        let (stride, width, height) = (plane.bytesPerRow, Int32(size.width + 1) / 2, Int32(size.height + 1) / 2)
        // In place: each row is read before it is written. The last sample is one pixel's alone, and stays.
        if beginsRight, size.width % 2 == 1 {
            InterpolatePlane(start, stride, start + 1, stride, start, stride, width - 1, height, 128)
        }
        if beginsAtBottom, size.height % 2 == 1 {
            InterpolatePlane(start, stride, start + Int(stride), stride, start, stride, width, height - 1, 128)
        }
    }

    /// What is stored first is seen on the right, or at the bottom.
    private var beginsRight: Bool {
        switch self {
        case .topRight, .bottomRight, .rightTop, .rightBottom: true
        case .topLeft, .bottomLeft, .leftTop, .leftBottom: false
        }
    }

    private var beginsAtBottom: Bool {
        switch self {
        case .bottomRight, .bottomLeft, .rightBottom, .leftBottom: true
        case .topLeft, .topRight, .leftTop, .rightTop: false
        }
    }

    fileprivate var isMirrored: Bool {
        switch self {
        case .topRight, .bottomLeft, .leftTop, .rightBottom: true
        case .topLeft, .bottomRight, .rightTop, .leftBottom: false
        }
    }

    /// Clockwise, behind the flip: a picture mirrored left to right is one flipped and turned by half.
    fileprivate var rotation: RotationMode {
        switch self {
        case .topLeft, .bottomLeft: kRotate0
        case .rightTop, .leftTop: kRotate90
        case .bottomRight, .topRight: kRotate180
        case .leftBottom, .rightBottom: kRotate270
        }
    }
}
