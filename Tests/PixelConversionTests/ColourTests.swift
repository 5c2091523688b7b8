import Media
import PixelConversion
import TestSupport
import Testing

@Suite("Colour conversion")
struct ColourTests {
    private func convert(_ pixels: PixelBuffer, _ policy: FitGeometry.Policy = .native) -> I420Picture {
        let converter = PictureConverter(
            source: pixels.size, geometry: FitGeometry(source: pixels.size, policy: policy))
        converter.convert(Pictures.frame(pixels))
        return converter.picture
    }

    @Test(
        "known colours come out as BT.709 limited has them",
        arguments: [
            ([255, 255, 255, 0], (235, 128, 128)), ([0, 0, 0, 255], (16, 128, 128)),
            ([0, 0, 255, 0], (63, 102, 240)), ([0, 255, 0, 0], (173, 42, 26)), ([255, 0, 0, 0], (32, 240, 118)),
            ([128, 128, 128, 9], (126, 128, 128)), ([0, 255, 255, 0], (219, 16, 138)),
        ] as [([UInt8], (Int, Int, Int))])
    func knownColours(pixel: [UInt8], expected: (Int, Int, Int)) throws {
        for size in [PixelSize(width: 64, height: 8), PixelSize(width: 70, height: 6)] {
            let samples = convert(try #require(Pictures.plain(size, pixel))).samples
            #expect(samples.y.allSatisfy { abs(Int($0) - expected.0) <= 1 })
            #expect(samples.u.allSatisfy { abs(Int($0) - expected.1) <= 1 })
            #expect(samples.v.allSatisfy { abs(Int($0) - expected.2) <= 1 })
        }
    }

    @Test("white, black and every grey between are exact and without colour")
    func greys() throws {
        for grey in 0...255 {
            let samples = convert(
                try #require(Pictures.plain(PixelSize(width: 34, height: 2), Array(repeating: UInt8(grey), count: 4)))
            ).samples
            let expected = UInt8((16 + Double(grey) * 219 / 255).rounded())
            #expect(samples.y.allSatisfy { $0 == expected })
            #expect(samples.u.allSatisfy { $0 == 128 } && samples.v.allSatisfy { $0 == 128 })
        }
    }

    @Test("any pixels are within one step of exact arithmetic, chroma in the centre of two by two pixels")
    func randomPixels() throws {
        var generator = SeededGenerator(seed: 1)
        let size = PixelSize(width: 134, height: 18)
        let pixels = try #require(Pictures.noise(.bgra, size, padding: 12, using: &generator))
        let samples = convert(pixels).samples
        func colour(_ x: Int, _ y: Int) -> ExactColour {
            pixels.withPlane(0) { start, bytesPerRow in
                let pixel = start + y * bytesPerRow + 4 * x
                return ExactColour(blue: Double(pixel[0]), green: Double(pixel[1]), red: Double(pixel[2]))
            }
        }
        for y in 0..<size.height {
            for x in 0..<size.width {
                #expect(abs(Double(samples.y[y * size.width + x]) - colour(x, y).y) < 0.51)
            }
        }
        for y in 0..<size.height / 2 {
            for x in 0..<size.width / 2 {
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map { colour(2 * x + $0.0, 2 * y + $0.1) }
                let index = y * size.width / 2 + x
                #expect(abs(Double(samples.u[index]) - four.map(\.u).reduce(0, +) / 4) < 0.51)
                #expect(abs(Double(samples.v[index]) - four.map(\.v).reduce(0, +) / 4) < 0.51)
            }
        }
    }

    @Test("depth 30 is read by its eight high bits")
    func tenBits() throws {
        let colours: [(red: UInt32, green: UInt32, blue: UInt32)] = [
            (1023, 1023, 1023), (0, 0, 0), (1023, 0, 0), (512, 300, 77), (3, 1022, 1020),
        ]
        let size = PixelSize(width: 36, height: 2)
        for colour in colours {
            let word = 3 << 30 | colour.red << 20 | colour.green << 10 | colour.blue
            let bytes = withUnsafeBytes(of: word.littleEndian) { Array($0) }
            let deep = try #require(
                Pictures.buffer(
                    .bgr10, size, PixelFormat.bgr10.planes(size: size),
                    Array(repeating: bytes, count: size.width * size.height).flatMap { $0 }))
            let plain = try #require(
                Pictures.plain(
                    size, [UInt8(colour.blue >> 2), UInt8(colour.green >> 2), UInt8(colour.red >> 2), 0]))
            #expect(convert(deep).samples == convert(plain).samples)
        }
    }

    @Test("NV12 and I420 are taken over sample by sample", arguments: [PixelFormat.nv12, .i420])
    func planar(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 4)
        let size = PixelSize(width: 50, height: 22)
        let pixels = try #require(Pictures.noise(format, size, padding: 6, using: &generator))
        let samples = convert(pixels).samples
        func row(_ plane: Int, _ row: Int, _ count: Int) -> [UInt8] {
            pixels.withPlane(plane) { Array(UnsafeBufferPointer(start: $0 + row * $1, count: count)) }
        }
        for y in 0..<22 { #expect(Array(samples.y[y * 50..<y * 50 + 50]) == row(0, y, 50)) }
        for y in 0..<11 {
            let u = format == .nv12 ? stride(from: 0, to: 50, by: 2).map { row(1, y, 50)[$0] } : row(1, y, 25)
            let v = format == .nv12 ? stride(from: 1, to: 50, by: 2).map { row(1, y, 50)[$0] } : row(2, y, 25)
            #expect(Array(samples.u[y * 25..<y * 25 + 25]) == u)
            #expect(Array(samples.v[y * 25..<y * 25 + 25]) == v)
        }
    }

    @Test("odd sizes keep every pixel and repeat the last column and row", arguments: [PixelFormat.bgra, .nv12, .i420])
    func oddSizes(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 6)
        let size = PixelSize(width: 67, height: 35)
        let pixels = try #require(Pictures.noise(format, size, using: &generator))
        let picture = convert(pixels)
        #expect(picture.size == PixelSize(width: 68, height: 36))
        let luma = picture.samples.y
        for y in 0..<35 { #expect(luma[y * 68 + 67] == luma[y * 68 + 66]) }
        #expect(Array(luma[35 * 68..<36 * 68]) == Array(luma[34 * 68..<35 * 68]))
    }

    @Test("bars stay black, whatever is converted beside them")
    func bars() throws {
        var generator = SeededGenerator(seed: 8)
        let pixels = try #require(Pictures.noise(.bgra, PixelSize(width: 160, height: 120), using: &generator))
        let picture = convert(pixels, .letterbox(PixelSize(width: 128, height: 72)))
        let samples = picture.samples
        for y in 0..<72 {
            for x in [0, 1, 15, 112, 127] { #expect(samples.y[y * 128 + x] == 16) }
        }
        for y in 0..<36 {
            for x in [0, 7, 56, 63] { #expect(samples.u[y * 64 + x] == 128 && samples.v[y * 64 + x] == 128) }
        }
        #expect(samples.y[36 * 128 + 64] != 16)
    }
}
