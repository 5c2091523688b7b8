import CX264
import Media

/// Which macroblocks of a picture are as in the one before: x264's `mb_info`.
///
/// x264 skips those without a look where the picture before was coded at least as finely. Of a still screen of
/// 1920×1080 with a pointer that moves, that saves it a fifth of its work.
final class UnchangedMacroblocks {
    private let columns: Int
    private let rows: Int
    /// x264 reads them where they are while it encodes.
    private let flags: UnsafeMutableBufferPointer<UInt8>

    init(size: PixelSize) {
        columns = (size.width + Self.side - 1) / Self.side
        rows = (size.height + Self.side - 1) / Self.side
        flags = .allocate(capacity: columns * rows)
        flags.initialize(repeating: 0)
    }

    deinit { flags.deallocate() }

    /// All that none of the areas touches; valid until the next call.
    func outside(of areas: [PixelRect]) -> UnsafeMutablePointer<UInt8>? {
        flags.update(repeating: UInt8(X264_MBINFO_CONSTANT))
        for area in areas where !area.isEmpty {
            let across = max(0, area.x / Self.side)..<min(columns, (area.maxX + Self.side - 1) / Self.side)
            for row in max(0, area.y / Self.side)..<min(rows, (area.maxY + Self.side - 1) / Self.side) {
                flags[row * columns + across.lowerBound..<row * columns + across.upperBound].update(repeating: 0)
            }
        }
        return flags.baseAddress
    }

    private static let side = 16
}
