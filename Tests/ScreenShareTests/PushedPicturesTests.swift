import Media
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import ScreenShare

@Suite("Pictures that an embedder pushes")
struct PushedPicturesTests {
    private static let (width, height) = (6, 4)

    /// In memory the first pixel is white and the last of its row grey; all else is black.
    private static func pixels(bytesPerRow: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * height)
        for (column, level) in [(0, UInt8(255)), (width - 1, 128)] {
            for channel in 0..<4 { bytes[column * 4 + channel] = level }
        }
        return bytes
    }

    /// Where the first row's first and last pixel belong, as EXIF names the sides of the first row and the first column.
    private static func corners(of orientation: CustomVideoSource.Orientation) -> (white: String, grey: String) {
        switch orientation {
        case .topLeft: ("top left", "top right")
        case .topRight: ("top right", "top left")
        case .bottomRight: ("bottom right", "bottom left")
        case .bottomLeft: ("bottom left", "bottom right")
        case .leftTop: ("top left", "bottom left")
        case .rightTop: ("top right", "bottom right")
        case .rightBottom: ("bottom right", "top right")
        case .leftBottom: ("bottom left", "top left")
        }
    }

    private static func level(_ corner: String, of pixels: PixelBuffer) -> UInt8 {
        let row = corner.hasPrefix("top") ? 0 : pixels.size.height - 1
        let column = corner.hasSuffix("left") ? 0 : pixels.size.width - 1
        return pixels.withPlane(0) { start, bytesPerRow in start[row * bytesPerRow + column * 4] }
    }

    @Test(
        "stand upright, however they lie in memory, also where a row has odd padding",
        arguments: CustomVideoSource.Orientation.allCases, [width * 4, width * 4 + 2])
    func upright(orientation: CustomVideoSource.Orientation, bytesPerRow: Int) throws {
        let source = CustomVideoSource()
        let reader = CustomVideoReader(of: source, wakeup: Wakeup.made())
        try source.push(
            Self.pixels(bytesPerRow: bytesPerRow).span.bytes, format: .bgra, width: Self.width, height: Self.height,
            bytesPerRow: bytesPerRow, orientation: orientation, timestamp: .zero)
        let pixels = try #require(reader.takePending()).pixels
        let isTurned = orientation.rawValue >= CustomVideoSource.Orientation.leftTop.rawValue
        #expect(pixels.size == PixelSize(width: isTurned ? 4 : 6, height: isTurned ? 6 : 4))
        let (white, grey) = Self.corners(of: orientation)
        #expect(Self.level(white, of: pixels) == 255 && Self.level(grey, of: pixels) == 128)
    }
}
