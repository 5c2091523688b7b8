import Media
import PixelConversion
import TestSupport
import Timebase

/// Source pictures for the suites, and the bytes of what was made of them.
enum Pictures {
    /// Random bytes in the format, each row `padding` bytes longer than its pixels, in memory of exactly that size.
    static func noise(
        _ format: PixelFormat, _ size: PixelSize, padding: Int = 0, using generator: inout SeededGenerator
    ) -> PixelBuffer? {
        let tight = format.planes(size: size)
        let planes = format.planes(size: size, bytesPerRow: tight[0].bytesPerRow + padding)
        let count = planes.map { $0.offset + ($0.rows - 1) * $0.bytesPerRow + $0.rowBytes }.max() ?? 0
        return buffer(format, size, planes, (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// One colour everywhere, as B, G, R, X.
    static func plain(_ size: PixelSize, _ pixel: [UInt8]) -> PixelBuffer? {
        let pixels = Array(repeating: pixel, count: size.width * size.height)
        return buffer(.bgra, size, PixelFormat.bgra.planes(size: size), pixels.flatMap { $0 })
    }

    static func buffer(_ format: PixelFormat, _ size: PixelSize, _ planes: [Plane], _ bytes: [UInt8]) -> PixelBuffer? {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        return PixelBuffer(
            format: format, size: size, planes: planes, bytes: UnsafeRawBufferPointer(memory),
            release: { memory.deallocate() })
    }

    static func frame(_ pixels: PixelBuffer, damage: PixelRect? = nil) -> ScreenFrame {
        ScreenFrame(pixels: pixels, capturedAt: .zero, damage: damage ?? PixelRect(pixels.size))
    }
}

extension I420Picture {
    /// The visible samples of Y, U and V.
    var samples: (y: [UInt8], u: [UInt8], v: [UInt8]) {
        withPlanes { y, u, v in
            func plane(_ start: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int) -> [UInt8] {
                (0..<height).flatMap { row in UnsafeBufferPointer(start: start + row * stride, count: width) }
            }
            let half = PixelSize(width: size.width / 2, height: size.height / 2)
            return (
                plane(y, lumaStride, size.width, size.height), plane(u, chromaStride, half.width, half.height),
                plane(v, chromaStride, half.width, half.height)
            )
        }
    }
}

/// Colours as ITU-T BT.709 defines them, in exact arithmetic: what the conversion is held against.
struct ExactColour {
    var y: Double
    var u: Double
    var v: Double

    init(blue: Double, green: Double, red: Double) {
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        y = 16 + luma * 219 / 255
        u = 128 + (blue - luma) / 1.8556 * 224 / 255
        v = 128 + (red - luma) / 1.5748 * 224 / 255
    }
}
