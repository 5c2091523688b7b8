import AudioCodec
import Media
import RTP
import TestSupport
import Timebase
import VideoCodec

/// Pictures and sound to write, as the encoders make them.
enum Footage {
    struct Picture {
        var nalUnits: [[UInt8]]
        var isKeyframe: Bool

        var annexB: [UInt8] { nalUnits.flatMap { [0, 0, 0, 1] + $0 } }
    }

    /// A bright bar that moves.
    static func pictures(
        _ width: Int = 160, _ height: Int = 96, count: Int, keyframes: Set<Int> = []
    ) throws -> [Picture] {
        let size = PixelSize(width: width, height: height)
        let encoder = try X264Encoder(
            X264Configuration(size: size, frameRate: .fps30, maximumBitsPerSecond: 4_000_000))
        let picture = I420Picture(size: size)
        return try (0..<count).compactMap { index in
            draw(index, on: picture)
            let target = SendTarget(
                bitsPerSecond: 4_000_000, frameRate: .fps30, needsKeyframe: keyframes.contains(index))
            let unit = try encoder.encode(
                picture, damage: PixelRect(size), mediaTime: MediaTime(ticks: Int64(index) * 3000), capturedAt: .zero,
                target: target)
            return unit.map { unit in
                Picture(nalUnits: unit.nalUnits.map { Array(unit.bytes[$0]) }, isKeyframe: unit.isKeyframe)
            }
        }
    }

    private static func draw(_ index: Int, on picture: I420Picture) {
        picture.withPlanes { luma, _, _ in
            for y in 0..<picture.size.height {
                for x in 0..<picture.size.width {
                    let isBar = (x + picture.size.width - index * 4 % picture.size.width) % picture.size.width < 24
                    luma[y * picture.lumaStride + x] = isBar ? 220 : UInt8(40 + (x ^ y) % 32)
                }
            }
        }
    }

    /// Packets of 20 ms of a tone.
    static func sound(_ tone: Tone = Tone(400, level: -6), count: Int) throws -> [[UInt8]] {
        let encoder = try OpusEncoder(OpusConfiguration(), target: OpusTarget(bitsPerSecond: 96_000))
        var tone = tone
        return try (0..<count).map { _ in try encoder.encode(tone.next(960)).bytes }
    }
}
