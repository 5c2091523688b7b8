import CYUV
import Media
import PixelConversion
import TestSupport
import Testing

@Suite("Scaling")
struct ScalingTests {
    private static let source = PixelSize(width: 480, height: 270)
    private static let target = PixelSize(width: 320, height: 180)

    /// Small coloured text on light and dark ground, as a screen has it.
    private static func page(_ size: PixelSize) -> PixelBuffer? {
        guard let canvas = Canvas(size: size) else { return nil }
        var generator = SeededGenerator(seed: 12)
        canvas.fill(PixelRect(x: size.width / 2, y: 0, width: size.width / 2, height: size.height), .white)
        for y in stride(from: 3, to: size.height - 8, by: 10) {
            let digits = Figure.digits(of: Int64.random(in: 0...Int64.max, using: &generator), count: size.width / 13)
            canvas.write(digits, x: 4, y: y, scale: 1, Colour(red: 86, green: 156, blue: 214))
            canvas.write(digits, x: size.width / 2 + 3, y: y, scale: 1, Colour(red: 150, green: 30, blue: 20))
        }
        return canvas.pixels
    }

    /// The mean of the luma under each output, exactly.
    private static func exactLuma(_ pixels: PixelBuffer, _ target: PixelSize) -> [Double] {
        let ratioX = Double(pixels.size.width) / Double(target.width)
        let ratioY = Double(pixels.size.height) / Double(target.height)
        func share(_ sample: Int, _ from: Double, _ ratio: Double) -> Double {
            max(0, min(from + ratio, Double(sample + 1)) - max(from, Double(sample))) / ratio
        }
        return pixels.withPlane(0) { start, bytesPerRow in
            (0..<target.height).flatMap { j in
                (0..<target.width).map { i in
                    var sum = 0.0
                    let top = Double(j) * ratioY
                    let left = Double(i) * ratioX
                    for y in Int(top)..<min(pixels.size.height, Int((top + ratioY).rounded(.up))) {
                        for x in Int(left)..<min(pixels.size.width, Int((left + ratioX).rounded(.up))) {
                            let pixel = start + y * bytesPerRow + 4 * x
                            let colour = ExactColour(
                                blue: Double(pixel[0]), green: Double(pixel[1]), red: Double(pixel[2]))
                            sum += colour.y * share(y, top, ratioY) * share(x, left, ratioX)
                        }
                    }
                    return sum
                }
            }
        }
    }

    /// Structural similarity over blocks of 8 by 8 (Wang et al. 2004), the mean of all.
    private static func similarity(_ picture: [UInt8], _ reference: [Double], _ size: PixelSize) -> Double {
        var total = 0.0
        var blocks = 0.0
        for top in stride(from: 0, to: size.height - 7, by: 4) {
            for left in stride(from: 0, to: size.width - 7, by: 4) {
                var a = 0.0, b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0
                for y in top..<top + 8 {
                    for x in left..<left + 8 {
                        let p = Double(picture[y * size.width + x])
                        let q = reference[y * size.width + x]
                        a += p
                        b += q
                        aa += p * p
                        bb += q * q
                        ab += p * q
                    }
                }
                let meanA = a / 64
                let meanB = b / 64
                let covariance = ab / 64 - meanA * meanB
                let variances = aa / 64 - meanA * meanA + bb / 64 - meanB * meanB
                let c1 = 6.5025
                let c2 = 58.5225
                total += (2 * meanA * meanB + c1) * (2 * covariance + c2)
                    / ((meanA * meanA + meanB * meanB + c1) * (variances + c2))
                blocks += 1
            }
        }
        return total / blocks
    }

    /// Converted at full size, then shrunk by libyuv's Box filter.
    private static func libyuv(_ pixels: PixelBuffer, _ target: PixelSize) -> [UInt8] {
        let full = PictureConverter(
            source: pixels.size, geometry: FitGeometry(source: pixels.size, policy: .native))
        full.convert(Pictures.frame(pixels))
        let small = I420Picture(size: target)
        full.picture.withPlanes { y, u, v in
            small.withPlanes { smallY, smallU, smallV in
                _ = I420Scale(
                    y, Int32(full.picture.lumaStride), u, Int32(full.picture.chromaStride), v,
                    Int32(full.picture.chromaStride), Int32(pixels.size.width), Int32(pixels.size.height), smallY,
                    Int32(small.lumaStride), smallU, Int32(small.chromaStride), smallV, Int32(small.chromaStride),
                    Int32(target.width), Int32(target.height), kFilterBox)
            }
        }
        return small.samples.y
    }

    private static func own(_ pixels: PixelBuffer, _ target: PixelSize) -> I420Picture {
        let converter = PictureConverter(
            source: pixels.size, geometry: FitGeometry(source: pixels.size, policy: .fit(target)))
        converter.convert(Pictures.frame(pixels))
        return converter.picture
    }

    @Test("text shrunk by 3:2 is nearer to the exact area mean than libyuv's")
    func quality() throws {
        let page = try #require(Self.page(Self.source))
        let exact = Self.exactLuma(page, Self.target)
        let own = Self.similarity(Self.own(page, Self.target).samples.y, exact, Self.target)
        let theirs = Self.similarity(Self.libyuv(page, Self.target), exact, Self.target)
        #expect(own > 0.9995)
        #expect(own > theirs)
    }

    @Test(
        "every output is the mean of the area under it, at any ratio",
        arguments: [
            ((480, 270), (320, 180)), ((480, 270), (240, 134)), ((384, 216), (360, 202)), ((431, 243), (160, 90)),
            ((500, 300), (62, 38)), ((191, 330), (104, 180)),
        ])
    func exactMeans(from: (Int, Int), to: (Int, Int)) throws {
        var generator = SeededGenerator(seed: 5)
        let size = PixelSize(width: from.0, height: from.1)
        let pixels = try #require(Pictures.noise(.bgra, size, using: &generator))
        let picture = Self.own(pixels, PixelSize(width: to.0, height: to.1))
        let exact = Self.exactLuma(pixels, picture.size)
        let errors = zip(picture.samples.y, exact).map { abs(Double($0) - $1) }
        #expect((errors.max() ?? 9) < 3)
        #expect(errors.reduce(0, +) / Double(errors.count) < 0.8)
    }

    @Test("one colour stays that colour at any size, to the very edge", arguments: [(90, 60), (64, 64), (1000, 30)])
    func plain(width: Int, height: Int) throws {
        let size = PixelSize(width: 143, height: 77)
        let pixels = try #require(Pictures.plain(size, [200, 30, 90, 0]))
        let converter = PictureConverter(
            source: size,
            geometry: FitGeometry(source: size, policy: .fit(PixelSize(width: width, height: height))))
        converter.convert(Pictures.frame(pixels))
        let colour = ExactColour(blue: 200, green: 30, red: 90)
        let samples = converter.picture.samples
        #expect(samples.y.allSatisfy { abs(Double($0) - colour.y) <= 1 })
        #expect(samples.u.allSatisfy { abs(Double($0) - colour.u) <= 1 })
        #expect(samples.v.allSatisfy { abs(Double($0) - colour.v) <= 1 })
    }

    @Test("rows that aren't shrunk are taken over, and a single one is repeated", arguments: [1, 10])
    func unshrunk(rows: Int) throws {
        let size = PixelSize(width: 200, height: rows)
        let bytes = (1...rows).flatMap { row in Array(repeating: UInt8(25 * row), count: 4 * size.width) }
        let pixels = try #require(Pictures.buffer(.bgra, size, PixelFormat.bgra.planes(size: size), bytes))
        let picture = Self.own(pixels, PixelSize(width: 198, height: 10))
        #expect(picture.size == PixelSize(width: 198, height: max(2, rows)))
        let luma = picture.samples.y
        for row in 0..<picture.size.height {
            let grey = 25 * Double(min(row + 1, rows))
            let expected = ExactColour(blue: grey, green: grey, red: grey).y
            #expect(luma[row * 198..<(row + 1) * 198].allSatisfy { abs(Double($0) - expected) <= 1 })
        }
    }

    @Test("planar sources are scaled too, and like packed ones", arguments: [PixelFormat.nv12, .i420])
    func planar(format: PixelFormat) throws {
        let page = try #require(Self.page(Self.source))
        let expected = Self.own(page, Self.target).samples
        let full = PictureConverter(source: Self.source, geometry: FitGeometry(source: Self.source, policy: .native))
        full.convert(Pictures.frame(page))
        let samples = full.picture.samples
        let chroma =
            format == .i420
            ? samples.u + samples.v : zip(samples.u, samples.v).flatMap { [$0, $1] }
        let planar = try #require(
            Pictures.buffer(format, Self.source, format.planes(size: Self.source), samples.y + chroma))
        #expect(Self.own(planar, Self.target).samples == expected)
    }

    @Test("extreme shapes neither trap nor read beyond the picture", arguments: [
        ((16_384, 16), (64, 64)), ((16, 16_384), (64, 64)), ((1, 1), (64, 64)), ((2, 700), (2, 2)),
        ((4097, 3), (1920, 1080)), ((3, 3), (2, 2)),
    ])
    func extremes(from: (Int, Int), to: (Int, Int)) throws {
        var generator = SeededGenerator(seed: 15)
        let size = PixelSize(width: from.0, height: from.1)
        for format in [PixelFormat.bgra, .bgr10, .nv12, .i420] {
            let pixels = try #require(Pictures.noise(format, size, using: &generator))
            let box = PixelSize(width: to.0, height: to.1)
            for policy in [FitGeometry.Policy.fit(box), .letterbox(box)] {
                let converter = PictureConverter(source: size, geometry: FitGeometry(source: size, policy: policy))
                #expect(!converter.convert(Pictures.frame(pixels)).isEmpty)
            }
        }
    }
}
