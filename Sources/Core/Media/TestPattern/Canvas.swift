/// A colour of 8 bits for each of red, green and blue.
package struct Colour: Hashable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    package static let white = Colour(red: 255, green: 255, blue: 255)
    package static let black = Colour(red: 0, green: 0, blue: 0)
}

/// BGRA pixels to draw on; `pixels` shows what was drawn.
package final class Canvas {
    package let pixels: PixelBuffer
    private let memory: UnsafeMutableBufferPointer<UInt32>

    /// A black canvas; nil where the size is empty.
    package init?(size: PixelSize) {
        guard size.width > 0, size.height > 0 else { return nil }
        let memory = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size.area)
        memory.initialize(repeating: 0)
        let pixels = PixelBuffer(
            format: .bgra, size: size, planes: PixelFormat.bgra.planes(size: size),
            bytes: UnsafeRawBufferPointer(memory), release: { memory.deallocate() })
        guard let pixels else { return nil }
        self.memory = memory
        self.pixels = pixels
    }

    /// Fills the part of a rectangle that lies on the canvas.
    package func fill(_ area: PixelRect, _ colour: Colour) {
        let area = area.intersection(PixelRect(pixels.size))
        if area.isEmpty { return }
        let value = UInt32(colour.red) << 16 | UInt32(colour.green) << 8 | UInt32(colour.blue)
        for y in area.y..<area.y + area.height {
            let start = y * pixels.size.width + area.x
            memory[start..<start + area.width].update(repeating: value)
        }
    }

    /// Writes figures with their top left corner at (x, y), each dot `scale` pixels a side.
    package func write(_ figures: some Sequence<Figure>, x: Int, y: Int, scale: Int, _ colour: Colour) {
        var left = x
        for figure in figures {
            for (row, bits) in figure.rows.enumerated() {
                for column in 0..<Figure.width where bits >> (Figure.width - 1 - column) & 1 == 1 {
                    fill(
                        PixelRect(x: left + column * scale, y: y + row * scale, width: scale, height: scale), colour)
                }
            }
            left += Figure.advance * scale
        }
    }
}
