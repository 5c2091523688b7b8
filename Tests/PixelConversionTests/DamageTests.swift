import Media
import PixelConversion
import TestSupport
import Testing

@Suite("Damage")
struct DamageTests {
    private static let geometries: [FitGeometry.Policy] = [
        .native, .fit(PixelSize(width: 128, height: 72)), .fit(PixelSize(width: 100, height: 100)),
        .fit(PixelSize(width: 60, height: 40)), .letterbox(PixelSize(width: 150, height: 90)),
        .letterbox(PixelSize(width: 32, height: 18)), .letterbox(PixelSize(width: 320, height: 200)),
    ]

    @Test(
        "converting only what changed gives the same picture, bit for bit",
        arguments: [PixelFormat.bgra, .bgr10, .nv12, .i420])
    func partial(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 31)
        for policy in Self.geometries {
            for size in [PixelSize(width: 192, height: 108), PixelSize(width: 193, height: 107)] {
                try check(format, size, FitGeometry(source: size, policy: policy), &generator)
            }
        }
    }

    private func check(
        _ format: PixelFormat, _ size: PixelSize, _ geometry: FitGeometry, _ generator: inout SeededGenerator
    ) throws {
        let converter = PictureConverter(source: size, geometry: geometry)
        var bytes = (0..<byteCount(format, size)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for _ in 0..<6 {
            let damage = randomRect(in: size, &generator)
            change(&bytes, format, size, damage, &generator)
            let pixels = try #require(Pictures.buffer(format, size, format.planes(size: size), bytes))
            let before = converter.picture.samples
            let changed = converter.convert(Pictures.frame(pixels, damage: damage))
            let fresh = PictureConverter(source: size, geometry: geometry)
            fresh.convert(Pictures.frame(pixels))
            let samples = converter.picture.samples
            #expect(samples == fresh.picture.samples, "\(format) \(size) \(geometry) \(damage)")
            #expect(differences(before.y, samples.y, width: geometry.picture.width, allowed: changed) == 0)
        }
    }

    /// Luma samples that differ outside of what was said to have changed.
    private func differences(_ before: [UInt8], _ after: [UInt8], width: Int, allowed: PixelRect) -> Int {
        before.indices.filter { index in
            let x = index % width
            let y = index / width
            let isInside = allowed.x <= x && x < allowed.maxX && allowed.y <= y && y < allowed.maxY
            return before[index] != after[index] && !isInside
        }.count
    }

    private func byteCount(_ format: PixelFormat, _ size: PixelSize) -> Int {
        format.planes(size: size).map { $0.offset + $0.bytesPerRow * $0.rows }.max() ?? 0
    }

    private func randomRect(in size: PixelSize, _ generator: inout SeededGenerator) -> PixelRect {
        let x = Int.random(in: 0..<size.width, using: &generator)
        let y = Int.random(in: 0..<size.height, using: &generator)
        return PixelRect(
            x: x, y: y, width: Int.random(in: 1...size.width - x, using: &generator),
            height: Int.random(in: 1...min(40, size.height - y), using: &generator))
    }

    /// New pixels within the area, and nowhere else; a chroma sample changes only with an area that has all its pixels.
    private func change(
        _ bytes: inout [UInt8], _ format: PixelFormat, _ size: PixelSize, _ area: PixelRect,
        _ generator: inout SeededGenerator
    ) {
        for (index, plane) in format.planes(size: size).enumerated() {
            let isPacked = format == .bgra || format == .bgr10
            let shift = index == 0 ? 0 : 1
            let perColumn = isPacked ? 4 : index == 1 && format == .nv12 ? 2 : 1
            let rows = (area.y + shift) >> shift..<max((area.y + shift) >> shift, area.maxY >> shift)
            let columns = (area.x + shift) >> shift..<max((area.x + shift) >> shift, area.maxX >> shift)
            for row in rows {
                for byte in columns.lowerBound * perColumn..<columns.upperBound * perColumn {
                    bytes[plane.offset + row * plane.bytesPerRow + byte] = UInt8.random(in: 0...255, using: &generator)
                }
            }
        }
    }

    @Test("damage outside of the picture, or none, changes nothing")
    func nothing() throws {
        var generator = SeededGenerator(seed: 2)
        let size = PixelSize(width: 64, height: 36)
        let pixels = try #require(Pictures.noise(.bgra, size, using: &generator))
        let converter = PictureConverter(source: size, geometry: FitGeometry(source: size, policy: .native))
        #expect(converter.convert(Pictures.frame(pixels)) == PixelRect(size))
        let other = try #require(Pictures.noise(.bgra, size, using: &generator))
        let before = converter.picture.samples
        for damage in [
            PixelRect(x: 0, y: 0, width: 0, height: 0), PixelRect(x: 64, y: 0, width: 5, height: 5),
            PixelRect(x: -9, y: -9, width: 4, height: 4),
        ] {
            #expect(converter.convert(Pictures.frame(other, damage: damage)).isEmpty)
        }
        #expect(converter.picture.samples == before)
    }

    @Test("a frame of another size is left alone; another format is converted whole")
    func otherFrames() throws {
        var generator = SeededGenerator(seed: 3)
        let size = PixelSize(width: 64, height: 36)
        let converter = PictureConverter(source: size, geometry: FitGeometry(source: size, policy: .native))
        let larger = try #require(Pictures.noise(.bgra, PixelSize(width: 66, height: 36), using: &generator))
        #expect(converter.convert(Pictures.frame(larger)).isEmpty)
        let first = try #require(Pictures.noise(.bgra, size, using: &generator))
        converter.convert(Pictures.frame(first))
        let second = try #require(Pictures.noise(.i420, size, using: &generator))
        let small = PixelRect(x: 2, y: 2, width: 2, height: 2)
        #expect(converter.convert(Pictures.frame(second, damage: small)) == PixelRect(size))
    }

    @Test("a small change of a large picture touches little of it")
    func small() throws {
        let size = PixelSize(width: 1920, height: 1080)
        let pixels = try #require(TestPattern(size: size)).pixels
        let converter = PictureConverter(
            source: size, geometry: FitGeometry(source: size, policy: .fit(PixelSize(width: 1280, height: 720))))
        converter.convert(Pictures.frame(pixels))
        let changed = converter.convert(
            Pictures.frame(pixels, damage: PixelRect(x: 900, y: 500, width: 18, height: 20)))
        #expect(changed.x <= 600 && changed.y <= 332 && changed.width <= 20 && changed.height <= 22)
    }
}
