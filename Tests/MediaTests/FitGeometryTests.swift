import Media
import TestSupport
import Testing

@Suite("Fit geometry")
struct FitGeometryTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test(
        "a picture is fitted into a box with its aspect, and hugs its content",
        arguments: [
            ((1920, 1080), (1280, 720), (1280, 720)), ((2560, 1440), (1920, 1080), (1920, 1080)),
            ((3840, 1080), (1920, 1080), (1920, 540)), ((1080, 1920), (1920, 1080), (608, 1080)),
            ((1600, 1200), (1280, 720), (960, 720)), ((1366, 768), (1280, 720), (1280, 720)),
            ((1280, 720), (1920, 1080), (1280, 720)), ((1367, 769), (1920, 1080), (1368, 770)),
            ((16_384, 16), (64, 64), (64, 2)), ((1, 1), (1920, 1080), (2, 2)),
        ])
    func fit(source: (Int, Int), box: (Int, Int), picture: (Int, Int)) {
        let geometry = FitGeometry(
            source: size(source.0, source.1), policy: .fit(size(box.0, box.1)))
        #expect(geometry.picture == size(picture.0, picture.1))
        #expect(geometry.content.x == 0 && geometry.content.y == 0)
    }

    @Test(
        "a box turns with the picture, and no picture has more pixels than allowed",
        arguments: [
            ((1920, 1080), FitGeometry.Policy.fitTurned(PixelSize(width: 1280, height: 720)), (1280, 720)),
            ((1080, 1920), .fitTurned(PixelSize(width: 1280, height: 720)), (720, 1280)),
            ((640, 360), .fitTurned(PixelSize(width: 1280, height: 720)), (640, 360)),
            ((1920, 1080), .fitPixels(1280 * 720), (1280, 720)), ((1280, 720), .fitPixels(1280 * 720), (1280, 720)),
            ((3840, 1080), .fitPixels(921_600), (1806, 508)), ((1366, 768), .fitPixels(256), (18, 10)),
        ])
    func otherBoxes(source: (Int, Int), policy: FitGeometry.Policy, picture: (Int, Int)) {
        #expect(FitGeometry(source: size(source.0, source.1), policy: policy).picture == size(picture.0, picture.1))
    }

    @Test("a fixed size is exactly that, with even bars on both sides")
    func letterbox() {
        let wide = FitGeometry(source: size(1600, 1200), policy: .letterbox(size(1280, 720)))
        #expect(wide.picture == size(1280, 720))
        #expect(wide.content == PixelRect(x: 160, y: 0, width: 960, height: 720))
        let small = FitGeometry(source: size(641, 359), policy: .letterbox(size(1280, 720)))
        #expect(small.content == PixelRect(x: 318, y: 180, width: 641, height: 359))
        #expect(small.isUnscaled)
    }

    @Test("an odd size is kept pixel by pixel, in a picture that is one larger")
    func native() {
        let geometry = FitGeometry(source: size(1367, 769), policy: .native)
        #expect(geometry.picture == size(1368, 770))
        #expect(geometry.content == PixelRect(x: 0, y: 0, width: 1367, height: 769))
        #expect(geometry.isUnscaled)
    }

    @Test("nothing is enlarged")
    func enlarging() {
        let box = FitGeometry.Policy.fit(size(1920, 1080))
        #expect(FitGeometry(source: size(640, 360), policy: box).picture == size(640, 360))
    }

    @Test("whatever the sizes: even, inside, the aspect within a pixel, never enlarged")
    func everySize() {
        var generator = SeededGenerator(seed: 77)
        for _ in 0..<20_000 {
            let source = size(
                Int.random(in: 1...5000, using: &generator), Int.random(in: 1...5000, using: &generator))
            let box = size(Int.random(in: 1...4000, using: &generator), Int.random(in: 1...4000, using: &generator))
            for policy in [FitGeometry.Policy.fit(box), .letterbox(box), .native] {
                let geometry = FitGeometry(source: source, policy: policy)
                let content = geometry.content
                #expect(geometry.picture.width % 2 == 0 && geometry.picture.height % 2 == 0)
                #expect(content.x % 2 == 0 && content.y % 2 == 0 && content.x >= 0 && content.y >= 0)
                #expect(content.maxX <= geometry.picture.width && content.maxY <= geometry.picture.height)
                if geometry.isUnscaled {
                    #expect(content.size == source)
                } else {
                    #expect(content.width % 2 == 0 && content.height % 2 == 0)
                    #expect(content.width <= max(2, source.width) && content.height <= max(2, source.height))
                    let height = Double(source.height * content.width) / Double(source.width)
                    let width = Double(source.width * content.height) / Double(source.height)
                    #expect(
                        abs(Double(content.height) - height) <= 1.01 || abs(Double(content.width) - width) <= 1.01
                            || min(content.width, content.height) == 2)
                }
            }
        }
    }
}
