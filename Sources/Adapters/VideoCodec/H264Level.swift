import Media
import Timebase

/// A level of ITU-T H.264 (§ A.3): what a decoder must be able to do.
package struct H264Level: Hashable, Sendable {
    /// `level_idc`: ten times the level's number.
    package let identifier: Int
    private let macroblocksPerSecond: Int
    private let macroblocksPerFrame: Int
    private let storedMacroblocks: Int
    private let kilobitsPerSecond: Int
    /// The most that a stream may have, in the baseline profile.
    package var bitsPerSecond: Int { kilobitsPerSecond * 1000 }

    /// Table A-1: level_idc, MaxMBPS, MaxFS, MaxDpbMbs, MaxBR. Level 1b, which saves nothing here, is left out.
    private static let table: [H264Level] = [
        (10, 1_485, 99, 396, 64), (11, 3_000, 396, 900, 192), (12, 6_000, 396, 2_376, 384),
        (13, 11_880, 396, 2_376, 768), (20, 11_880, 396, 2_376, 2_000), (21, 19_800, 792, 4_752, 4_000),
        (22, 20_250, 1_620, 8_100, 4_000), (30, 40_500, 1_620, 8_100, 10_000), (31, 108_000, 3_600, 18_000, 14_000),
        (32, 216_000, 5_120, 20_480, 20_000), (40, 245_760, 8_192, 32_768, 20_000),
        (41, 245_760, 8_192, 32_768, 50_000), (42, 522_240, 8_704, 34_816, 50_000),
        (50, 589_824, 22_080, 110_400, 135_000), (51, 983_040, 36_864, 184_320, 240_000),
        (52, 2_073_600, 36_864, 184_320, 240_000), (60, 4_177_920, 139_264, 696_320, 240_000),
        (61, 8_355_840, 139_264, 696_320, 480_000), (62, 16_711_680, 139_264, 696_320, 800_000),
    ].map {
        H264Level(
            identifier: $0.0, macroblocksPerSecond: $0.1, macroblocksPerFrame: $0.2, storedMacroblocks: $0.3,
            kilobitsPerSecond: $0.4)
    }

    /// The lowest level that allows all of this in the baseline profile; nil where none does.
    package static func minimum(
        size: PixelSize, frameRate: FrameRate, bitsPerSecond: Int, references: Int
    ) -> H264Level? {
        guard Limits.side.contains(size.width), Limits.side.contains(size.height) else { return nil }
        let columns = (size.width + 15) / 16
        let rows = (size.height + 15) / 16
        return table.first {
            $0.allows(
                columns: columns, rows: rows, framesPerSecond: frameRate.framesPerSecond,
                bitsPerSecond: bitsPerSecond, references: references)
        }
    }

    private func allows(
        columns: Int, rows: Int, framesPerSecond: Double, bitsPerSecond: Int, references: Int
    ) -> Bool {
        let area = columns * rows
        // § A.3.1 f and g: neither side above the root of eight times the frame size.
        let longest = max(columns, rows)
        return area <= macroblocksPerFrame && longest * longest <= 8 * macroblocksPerFrame
            && Double(area) * framesPerSecond <= Double(macroblocksPerSecond)
            && area * references <= storedMacroblocks && bitsPerSecond <= self.bitsPerSecond
    }
}
