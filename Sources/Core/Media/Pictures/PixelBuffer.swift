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
        guard Self.holds(format, size, planes, in: bytes.count) else { return nil }
        self.format = format
        self.size = size
        self.planes = planes
        self.bytes = bytes
        self.release = release
    }

    /// An own copy of packed pixels; nil where the bytes are too few for the format and size.
    package convenience init?(format: PixelFormat, size: PixelSize, bytesPerRow: Int? = nil, copying source: RawSpan) {
        let planes = format.planes(size: size, bytesPerRow: bytesPerRow)
        // An initialiser that fails releases nothing: nothing may be there yet.
        guard Self.holds(format, size, planes, in: source.byteCount) else { return nil }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: source.byteCount, alignment: 64)
        source.withUnsafeBytes { memory.copyMemory(from: $0) }
        self.init(
            format: format, size: size, planes: planes, bytes: UnsafeRawBufferPointer(memory),
            release: { memory.deallocate() })
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

    private static func holds(_ format: PixelFormat, _ size: PixelSize, _ planes: [Plane], in count: Int) -> Bool {
        size.width > 0 && size.height > 0 && fit(planes, in: count) && cover(planes, format.planes(size: size))
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
