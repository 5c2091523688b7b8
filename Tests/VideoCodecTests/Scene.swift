import Media
import PixelConversion
import TestSupport
import Timebase

/// Moving pictures to encode: pages of figures, and film that fills the picture.
final class Scene {
    enum Content {
        /// A page of text that moves up by so many pixels a frame.
        case text(scroll: Int)
        /// Soft shapes that move, under grain.
        case film
        /// Every pixel at random, every time.
        case noise
    }

    let size: PixelSize
    let picture: I420Picture
    private let content: Content
    private let page: [UInt8]
    private var generator: SeededGenerator

    init(_ size: PixelSize, _ content: Content, seed: UInt64 = 1) {
        self.size = size
        self.content = content
        generator = SeededGenerator(seed: seed)
        picture = I420Picture(size: size)
        page = Self.page(size, &generator)
        draw(0)
    }

    /// Makes picture `frame`.
    func draw(_ frame: Int) {
        switch content {
        case .text(let scroll): drawText(offset: frame * scroll)
        case .film: drawFilm(frame)
        case .noise: fill { _, _ in UInt8.random(in: 16...235, using: &generator) }
        }
    }

    private func fill(_ value: (Int, Int) -> UInt8) {
        picture.withPlanes { luma, u, v in
            for y in 0..<size.height {
                for x in 0..<size.width { luma[y * picture.lumaStride + x] = value(x, y) }
            }
            for y in 0..<size.height / 2 {
                for x in 0..<size.width / 2 {
                    u[y * picture.chromaStride + x] = UInt8(112 + (x / 16 + y / 16) % 3 * 16)
                    v[y * picture.chromaStride + x] = 128
                }
            }
        }
    }

    private func drawText(offset: Int) {
        picture.withPlanes { luma, _, _ in
            for y in 0..<size.height {
                let row = (y + offset) % (2 * size.height)
                page.withUnsafeBufferPointer { page in
                    guard let start = page.baseAddress else { return }
                    (luma + y * picture.lumaStride).update(from: start + row * size.width, count: size.width)
                }
            }
        }
    }

    private func drawFilm(_ frame: Int) {
        let centre = (size.width / 2 + frame * 5 % 80, size.height / 2 - frame * 3 % 60)
        var grain = generator
        fill { x, y in
            let distance = (x - centre.0) * (x - centre.0) + (y - centre.1) * (y - centre.1)
            let wave = (x + 2 * frame) / 9 % 24 + (y - frame) / 7 % 20
            return UInt8(min(230, 40 + wave * 3 + min(60, distance / 400) + Int(grain.next() & 7)))
        }
        generator = grain
    }

    /// Two pictures' height of lines of figures, dark on light, as luma.
    private static func page(_ size: PixelSize, _ generator: inout SeededGenerator) -> [UInt8] {
        let tall = PixelSize(width: size.width, height: 2 * size.height)
        guard let canvas = Canvas(size: tall) else { return [] }
        canvas.fill(PixelRect(tall), .white)
        for y in stride(from: 2, to: tall.height - 16, by: 18) {
            let count = Int.random(in: size.width / 40...size.width / 13, using: &generator)
            let figures = Figure.digits(of: Int64.random(in: 0...Int64.max, using: &generator), count: min(18, count))
            for x in stride(from: 6, to: 6 + count * 12, by: 18 * 12) {
                canvas.write(figures, x: x, y: y, scale: 2, Colour(red: 30, green: 30, blue: 40))
            }
        }
        let converter = PictureConverter(source: tall, geometry: FitGeometry(source: tall, policy: .native))
        converter.convert(ScreenFrame(pixels: canvas.pixels, capturedAt: .zero, damage: PixelRect(tall)))
        return converter.picture.withPlanes { luma, _, _ in
            (0..<tall.height).flatMap { y in
                UnsafeBufferPointer(start: luma + y * converter.picture.lumaStride, count: tall.width)
            }
        }
    }
}

extension I420Picture {
    /// The visible samples of Y.
    var luma: [UInt8] {
        withPlanes { luma, _, _ in
            (0..<size.height).flatMap { UnsafeBufferPointer(start: luma + $0 * lumaStride, count: size.width) }
        }
    }
}

extension PixelRect {
    static let nothing = PixelRect(x: 0, y: 0, width: 0, height: 0)
}
