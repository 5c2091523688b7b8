import Timebase

/// Something to show where there is no screen: colour bars above, below them a clock, a frame counter and a block that
/// wanders from side to side.
///
/// The upper half holds eight bars of equal width: white, yellow, cyan, green, magenta, red, blue, black, all at full
/// strength; `patches` says where. They are drawn once; each picture after the first redraws a strip of the lower half.
package final class TestPattern {
    /// An area of one known colour.
    package struct Patch: Hashable, Sendable {
        package let area: PixelRect
        package let colour: Colour
    }

    package let size: PixelSize
    package let patches: [Patch]
    private let canvas: Canvas
    /// The only part that changes.
    private let strip: PixelRect
    private var isBackgroundDrawn = false

    /// Nil where the size is empty.
    package init?(size: PixelSize) {
        guard let canvas = Canvas(size: size) else { return nil }
        self.size = size
        self.canvas = canvas
        patches = Self.patches(size: size)
        let top = size.height / 2
        strip = PixelRect(x: 0, y: top + size.height / 8, width: size.width, height: size.height / 4)
    }

    package var pixels: PixelBuffer { canvas.pixels }

    /// Where the bars lie in a picture of that size.
    package static func patches(size: PixelSize) -> [Patch] {
        let colours: [(UInt8, UInt8, UInt8)] = [
            (255, 255, 255), (255, 255, 0), (0, 255, 255), (0, 255, 0), (255, 0, 255), (255, 0, 0), (0, 0, 255),
            (0, 0, 0),
        ]
        return colours.enumerated().map { index, colour in
            let left = size.width * index / colours.count
            let right = size.width * (index + 1) / colours.count
            return Patch(
                area: PixelRect(x: left, y: 0, width: right - left, height: size.height / 2),
                colour: Colour(red: colour.0, green: colour.1, blue: colour.2))
        }
    }

    /// Draws a picture.
    ///
    /// - Parameters:
    ///   - frame: its number; shown, and the block's place.
    ///   - elapsed: since the start; shown as hours, minutes, seconds and milliseconds.
    /// - Returns: what changed.
    package func draw(frame: Int64, elapsed: Duration) -> PixelRect {
        let isFirst = !isBackgroundDrawn
        if isFirst { drawBackground() }
        canvas.fill(strip, Self.ground)
        drawBlock(frame)
        drawText(frame, elapsed)
        return isFirst ? PixelRect(size) : strip
    }

    private static let ground = Colour(red: 32, green: 32, blue: 40)

    private func drawBackground() {
        isBackgroundDrawn = true
        canvas.fill(PixelRect(size), Self.ground)
        for patch in patches { canvas.fill(patch.area, patch.colour) }
    }

    /// To and fro within four seconds at 30 fps, in the upper half of the strip.
    private func drawBlock(_ frame: Int64) {
        let side = max(2, strip.height / 2)
        let room = max(1, size.width - side)
        let phase = Int((frame % 120 + 120) % 120)
        let x = room * (phase < 60 ? phase : 120 - phase) / 60
        canvas.fill(
            PixelRect(x: x, y: strip.y, width: side, height: side), Colour(red: 255, green: 160, blue: 0))
    }

    private func drawText(_ frame: Int64, _ elapsed: Duration) {
        let milliseconds = max(0, elapsed.nanoseconds / 1_000_000)
        let seconds = milliseconds / 1000
        let clock =
            Figure.digits(of: seconds / 3600, count: 2) + [.colon] + Figure.digits(of: seconds / 60 % 60, count: 2)
            + [.colon] + Figure.digits(of: seconds % 60, count: 2) + [.point]
            + Figure.digits(of: milliseconds % 1000, count: 3)
        let text = clock + [.space, .space] + Figure.digits(of: frame, count: 8)
        let scale = max(1, min(strip.height / 2 / Figure.height, size.width / (text.count * Figure.advance)))
        let x = (size.width - text.count * Figure.advance * scale) / 2
        canvas.write(text, x: max(0, x), y: strip.maxY - Figure.height * scale, scale: scale, .white)
    }
}
