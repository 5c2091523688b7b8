import CX264
import Media

/// What of a picture is coded; the rest stays as it is.
enum CodedExtent {
    /// All of the new picture, which differs from the one before in these areas.
    case whole(changed: [PixelRect])
    /// But for others, which stay as they are shown.
    case parts([PixelRect], but: [PixelRect] = [])
    case outline(PixelRect)
}

/// Which macroblocks of a picture are as in the one before: x264's `mb_info`.
///
/// x264 skips those without a look. Of a still screen of 1920×1080 with a pointer that moves, that saves it a tenth of its
/// work. Its own check that they were coded as finely before is of no use here: what stands around a part has for it the
/// part's quantiser. So it is known here how finely each was coded from the picture itself.
final class UnchangedMacroblocks {
    private let size: PixelSize
    private let columns: Int
    /// x264 reads them where they are while it encodes.
    private let flags: UnsafeMutableBufferPointer<UInt8>
    private var quantisers: [UInt8]

    init(size: PixelSize) {
        self.size = size
        columns = (size.width + Self.side - 1) / Self.side
        let count = columns * ((size.height + Self.side - 1) / Self.side)
        flags = .allocate(capacity: count)
        flags.initialize(repeating: 0)
        quantisers = Array(repeating: Self.neverCoded, count: count)
    }

    deinit { flags.deallocate() }

    /// The flags of the picture that is coded next; valid until the one behind it.
    func flags(of extent: CodedExtent, quantiser: Int) -> UnsafeMutablePointer<UInt8>? {
        let quantiser = UInt8(clamping: quantiser)
        switch extent {
        case .whole(let changed) where changed.contains { $0.contains(PixelRect(size)) }:
            flags.update(repeating: 0)
            for index in quantisers.indices { quantisers[index] = quantiser }
        case .whole(let changed):
            for index in flags.indices { flags[index] = quantisers[index] <= quantiser ? Self.unchanged : 0 }
            forEach(in: changed) { flags[$0] = 0 }
            for index in flags.indices where flags[index] == 0 { quantisers[index] = quantiser }
        case .parts(let areas, _): code(areas, at: quantiser)
        case .outline(let area): code([area], at: Self.outline)
        }
        return flags.baseAddress
    }

    private func code(_ areas: [PixelRect], at quantiser: UInt8) {
        flags.update(repeating: Self.unchanged)
        forEach(in: areas) {
            flags[$0] = 0
            quantisers[$0] = quantiser
        }
    }

    private func forEach(in areas: [PixelRect], _ body: (Int) -> Void) {
        for area in areas.map({ $0.intersection(PixelRect(size)) }) where !area.isEmpty {
            let across = area.x / Self.side..<(area.maxX + Self.side - 1) / Self.side
            for row in area.y / Self.side..<(area.maxY + Self.side - 1) / Self.side {
                across.forEach { body(row * columns + $0) }
            }
        }
    }

    private static let side = 16
    private static let unchanged = UInt8(X264_MBINFO_CONSTANT)
    /// Coarser than any quantiser.
    private static let outline: UInt8 = 63
    private static let neverCoded: UInt8 = 255
}
