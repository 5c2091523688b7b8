import Media

/// Rows of packed colours as bytes B, G, R, X: those of the source, or unpacked ones beside it.
final class PackedRows {
    private let unpacked: Lines?

    init(format: PixelFormat, width: Int) {
        switch format {
        case .bgr10: unpacked = Lines(count: 2, width: width * 4)
        case .bgra, .nv12, .i420: unpacked = nil
        }
    }

    /// A pair of rows from column `columns.lowerBound` on; the last row of an odd height stands for both.
    func pair(_ index: Int, of source: SourcePlanes, columns: Range<Int>) -> (RowKernels.Row, RowKernels.Row) {
        let top = source.first(2 * index) + 4 * columns.lowerBound
        let bottom = source.first(min(2 * index + 1, source.size.height - 1)) + 4 * columns.lowerBound
        guard let unpacked else { return (top, bottom) }
        RowKernels.unpack(top, width: columns.count, into: unpacked[0])
        RowKernels.unpack(bottom, width: columns.count, into: unpacked[1])
        return (RowKernels.Row(unpacked[0]), RowKernels.Row(unpacked[1]))
    }

    /// Bytes from a pair to the next one; 0 where there is none, or none of the source's.
    func ahead(of index: Int, in source: SourcePlanes) -> Int {
        unpacked == nil && 2 * index + 3 < source.size.height ? source.first(2) - source.first(0) : 0
    }
}
