/// Draws a participant: a plain ground in its colour and a bar that moves, as BGRA bytes.
struct Painter: Sendable {
    let width: Int
    let height: Int
    /// Degrees on the colour circle.
    let hue: Int

    func draw(frame: Int) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        let bar = frame * 8 % width
        let (blue, green, red) = hue == 0 ? (UInt8(60), UInt8(60), UInt8(200)) : (UInt8(60), UInt8(180), UInt8(60))
        for y in 0..<height {
            for x in 0..<width {
                let offset = (y * width + x) * 4
                let isBar = x >= bar && x < bar + 40
                pixels[offset] = isBar ? 255 : blue
                pixels[offset + 1] = isBar ? 255 : green
                pixels[offset + 2] = isBar ? 255 : red
                pixels[offset + 3] = 255
            }
        }
        return pixels
    }
}
