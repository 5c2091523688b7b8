import Media

/// The picture as it was last fetched, which stays whole: what changed is fetched into its place.
struct Picture {
    let memory: PictureMemory
    let pixels: PixelBuffer
    let size: PixelSize

    /// X11 pads rows of 32-bit pixels to 32 bits, that is not at all.
    static func bytesPerRow(width: Int) -> Int { width * 4 }

    static func byteCount(of size: PixelSize) -> Int { bytesPerRow(width: size.width) * size.height }

    /// Nil where the memory is too small.
    init?(size: PixelSize, format: PixelFormat, memory: PictureMemory) {
        let bytes = UnsafeRawBufferPointer(memory.bytes)
        guard
            let pixels = PixelBuffer(
                format: format, size: size, planes: format.planes(size: size), bytes: bytes,
                release: { withExtendedLifetime(memory) {} })
        else { return nil }
        self.memory = memory
        self.pixels = pixels
        self.size = size
    }

    /// Lends the words of one row's columns.
    func withRow<Result>(
        _ row: Int, columns: Range<Int>, _ body: (UnsafeMutableBufferPointer<UInt32>) -> Result
    ) -> Result {
        let start = row * Self.bytesPerRow(width: size.width)
        let range = start + columns.lowerBound * 4..<start + columns.upperBound * 4
        return body(UnsafeMutableRawBufferPointer(rebasing: memory.bytes[range]).assumingMemoryBound(to: UInt32.self))
    }
}
