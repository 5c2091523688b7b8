import Media
import PixelConversion
import TestSupport
import Testing

@Suite("Orientation")
struct OrientationTests {
    /// Where the pixel that is seen at a place lies in a picture of that orientation, by EXIF's definition: which side
    /// of the scene the first row and the first column show.
    private func stored(_ orientation: Orientation, _ x: Int, _ y: Int, _ seen: PixelSize) -> (x: Int, y: Int) {
        let (right, bottom) = (seen.width - 1 - x, seen.height - 1 - y)
        return switch orientation {
        case .topLeft: (x, y)
        case .topRight: (right, y)
        case .bottomRight: (right, bottom)
        case .bottomLeft: (x, bottom)
        case .leftTop: (y, x)
        case .rightTop: (y, right)
        case .rightBottom: (bottom, right)
        case .leftBottom: (bottom, x)
        }
    }

    @Test("a picture of any of the eight orientations is seen upright", arguments: Orientation.allCases, [PixelFormat.bgra, .nv12, .i420])
    func upright(orientation: Orientation, format: PixelFormat) throws {
        let size = PixelSize(width: 14, height: 6)
        var random = SeededGenerator(seed: 9)
        let picture = try #require(Pictures.noise(format, size, padding: 4, using: &random))
        let turned = try #require(picture.upright(orientation))
        let seen = orientation.isTurned ? PixelSize(width: 6, height: 14) : size
        #expect(turned.size == seen)
        for y in 0..<seen.height {
            for x in 0..<seen.width {
                let place = stored(orientation, x, y, seen)
                #expect(pixel(turned, x, y) == pixel(picture, place.x, place.y))
            }
        }
    }

    @Test(
        "chroma stays at its pixels where a side is odd", arguments: Orientation.allCases,
        [PixelSize(width: 7, height: 5), PixelSize(width: 67, height: 6), PixelSize(width: 6, height: 75)])
    func oddSides(orientation: Orientation, size: PixelSize) throws {
        var random = SeededGenerator(seed: 10)
        for format in [PixelFormat.nv12, .i420] {
            // Multiples of four, so that the mean of four samples is exact.
            let planes = format.planes(size: size)
            let bytes = (0..<(planes.map { $0.offset + $0.rows * $0.bytesPerRow }.max() ?? 0)).map { _ in
                UInt8.random(in: 0...255, using: &random) & 0xFC
            }
            let picture = try #require(Pictures.buffer(format, size, planes, bytes))
            let turned = try #require(picture.upright(orientation))
            let seen = turned.size
            for y in 0..<seen.height {
                for x in 0..<seen.width {
                    let place = stored(orientation, x, y, seen)
                    #expect(pixel(turned, x, y)[0] == pixel(picture, place.x, place.y)[0])
                    guard x % 2 == 0, y % 2 == 0 else { continue }
                    let under = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map { column, row in
                        let place = stored(orientation, min(column, seen.width - 1), min(row, seen.height - 1), seen)
                        return pixel(picture, place.x, place.y).map { Int($0) }
                    }
                    for part in 1...2 {
                        #expect(Int(pixel(turned, x, y)[part]) == under.map { $0[part] }.reduce(0, +) / 4)
                    }
                }
            }
        }
    }

    /// Luma and chroma, or the three colours.
    private func pixel(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        func byte(_ plane: Int, _ column: Int, _ row: Int) -> UInt8 {
            buffer.withPlane(plane) { start, stride in start[row * stride + column] }
        }
        return switch buffer.format {
        case .bgra, .bgr10: (0..<3).map { byte(0, 4 * x + $0, y) }
        case .nv12: [byte(0, x, y), byte(1, x / 2 * 2, y / 2), byte(1, x / 2 * 2 + 1, y / 2)]
        case .i420: [byte(0, x, y), byte(1, x / 2, y / 2), byte(2, x / 2, y / 2)]
        }
    }
}
