/// The slice groups of a picture parameter set with more than one (flexible macroblock ordering,
/// ITU-T H.264 § 7.3.2.2), as coded.
package enum SliceGroups: Hashable, Sendable {
    /// Map type 0: `run_length_minus1` for each group.
    case interleaved(runLengthsMinus1: [UInt32])
    /// Map type 1.
    case dispersed(count: Int)
    /// Map type 2: a rectangle for each group but the last.
    case foreground(rectangles: [Rectangle])
    /// Map types 3, 4 and 5.
    case changing(type: Int, count: Int, direction: Bool, changeRateMinus1: UInt32)
    /// Map type 6: a group for each map unit.
    case explicit(count: Int, ids: [UInt8])

    package struct Rectangle: Hashable, Sendable {
        package var topLeft: UInt32
        package var bottomRight: UInt32

        package init(topLeft: UInt32, bottomRight: UInt32) {
            self.topLeft = topLeft
            self.bottomRight = bottomRight
        }
    }

    /// - Parameter count: 2…8 (§ A.2.1, § A.2.3).
    init(_ reader: inout BitReader, count: Int) throws(H264SyntaxError) {
        let type = try reader.unsigned(upTo: 6)
        switch type {
        case 0:
            var runs: [UInt32] = []
            for _ in 0..<count { runs.append(try reader.unsigned()) }
            self = .interleaved(runLengthsMinus1: runs)
        case 1:
            self = .dispersed(count: count)
        case 2:
            var rectangles: [Rectangle] = []
            for _ in 1..<count {
                rectangles.append(Rectangle(topLeft: try reader.unsigned(), bottomRight: try reader.unsigned()))
            }
            self = .foreground(rectangles: rectangles)
        case 6:
            let units = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerPicture - 1)) + 1
            var ids: [UInt8] = []
            for _ in 0..<units { ids.append(UInt8(try reader.bits(Self.idWidth(count)))) }
            self = .explicit(count: count, ids: ids)
        default:
            self = .changing(
                type: type, count: count, direction: try reader.flag(), changeRateMinus1: try reader.unsigned())
        }
    }

    var count: Int {
        switch self {
        case .interleaved(let runs): runs.count
        case .dispersed(let count): count
        case .foreground(let rectangles): rectangles.count + 1
        case .changing(_, let count, _, _): count
        case .explicit(let count, _): count
        }
    }

    func write(to writer: inout BitWriter) {
        switch self {
        case .interleaved(let runs):
            writer.unsigned(0)
            for run in runs { writer.unsigned(run) }
        case .dispersed:
            writer.unsigned(1)
        case .foreground(let rectangles):
            writer.unsigned(2)
            for rectangle in rectangles {
                writer.unsigned(rectangle.topLeft)
                writer.unsigned(rectangle.bottomRight)
            }
        case .changing(let type, _, let direction, let rate):
            writer.unsigned(type)
            writer.flag(direction)
            writer.unsigned(rate)
        case .explicit(let count, let ids):
            writer.unsigned(6)
            writer.unsigned(ids.count - 1)
            for id in ids { writer.bits(UInt32(id), Self.idWidth(count)) }
        }
    }

    /// Ceil(Log2(`count`)) bits.
    private static func idWidth(_ count: Int) -> Int { Int.bitWidth - (count - 1).leadingZeroBitCount }
}
