/// A picture as the encoder takes it: planes Y, U, V of 8 bits, BT.709 limited range, upright, even width and height.
///
/// One is kept for each lane and overwritten frame by frame: pixels are copied once.
package final class I420Picture {
    package let size: PixelSize
    package let lumaStride: Int
    package let chromaStride: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// A black picture.
    /// - Precondition: width and height are even and positive.
    package init(size: PixelSize) {
        precondition(size.width > 0 && size.height > 0 && size.width % 2 == 0 && size.height % 2 == 0)
        self.size = size
        lumaStride = (size.width + 63) & ~63
        chromaStride = lumaStride / 2
        let luma = lumaStride * size.height
        memory = .allocate(byteCount: luma + chromaStride * size.height, alignment: 64)
        UnsafeMutableRawBufferPointer(rebasing: memory[..<luma]).initializeMemory(as: UInt8.self, repeating: 16)
        UnsafeMutableRawBufferPointer(rebasing: memory[luma...]).initializeMemory(as: UInt8.self, repeating: 128)
    }

    deinit { memory.deallocate() }

    /// Lends pointers to the first bytes of Y, U and V, valid within `body` only.
    package func withPlanes<Result>(
        _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Result
    ) -> Result {
        let base = memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
        let luma = lumaStride * size.height
        let chroma = chromaStride * size.height / 2
        return body(base, base + luma, base + luma + chroma)
    }
}
