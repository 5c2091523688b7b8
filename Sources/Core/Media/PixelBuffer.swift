/// Pixels in memory that somebody else may own (a shared-memory segment, an embedder's frame).
///
/// The bytes stay valid as long as the buffer lives; `release` gives them back. Plane bounds are checked here once, so
/// that readers may trust them.
package final class PixelBuffer {
    package let format: PixelFormat
    package let size: PixelSize
    package let planes: [Plane]
    private let bytes: UnsafeRawBufferPointer
    private let release: () -> Void

    /// Nil where a plane would reach past the bytes.
    package init?(
        format: PixelFormat, size: PixelSize, planes: [Plane], bytes: UnsafeRawBufferPointer,
        release: @escaping () -> Void = {}
    ) {
        guard size.width > 0, size.height > 0, Self.fit(planes, in: bytes.count),
            Self.cover(planes, format.planes(size: size))
        else { return nil }
        self.format = format
        self.size = size
        self.planes = planes
        self.bytes = bytes
        self.release = release
    }

    /// An own copy of packed pixels; nil where the bytes are too few for the format and size.
    package convenience init?(format: PixelFormat, size: PixelSize, bytesPerRow: Int? = nil, copying source: RawSpan) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: source.byteCount, alignment: 64)
        source.withUnsafeBytes { memory.copyMemory(from: $0) }
        self.init(
            format: format, size: size, planes: format.planes(size: size, bytesPerRow: bytesPerRow),
            bytes: UnsafeRawBufferPointer(memory), release: { memory.deallocate() })
    }

    deinit { release() }

    /// Lends the pointer to a plane's first byte, valid within `body` only.
    package func withPlane<Result>(
        _ index: Int, _ body: (UnsafePointer<UInt8>, _ bytesPerRow: Int) -> Result
    ) -> Result {
        let plane = planes[index]
        let start = UnsafeRawBufferPointer(rebasing: bytes[plane.offset...]).bindMemory(to: UInt8.self)
        return body(start.baseAddress.unsafelyUnwrapped, plane.bytesPerRow)
    }

    private static func fit(_ planes: [Plane], in count: Int) -> Bool {
        planes.allSatisfy { plane in
            guard plane.offset >= 0, plane.rows > 0, plane.bytesPerRow >= plane.rowBytes, plane.rowBytes > 0 else {
                return false
            }
            let (rows, overflow) = plane.bytesPerRow.multipliedReportingOverflow(by: plane.rows - 1)
            return !overflow && rows <= count - plane.rowBytes - plane.offset
        }
    }

    private static func cover(_ planes: [Plane], _ needed: [Plane]) -> Bool {
        planes.count == needed.count
            && zip(planes, needed).allSatisfy { $0.rows >= $1.rows && $0.rowBytes >= $1.rowBytes }
    }
}
