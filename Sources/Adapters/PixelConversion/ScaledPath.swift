import Media

/// Brings a source to another size in one pass: rows are converted as they are needed and resampled while they are in
/// the processor's cache; nothing of the full size is written to memory.
///
/// Luma is averaged from the source's luma, chroma from its chroma at half size. Both are means over areas, so what
/// comes out is the mean colour of the source's pixels under each output.
final class ScaledPath {
    private let luma: PlaneScaler
    private let chroma: PlaneScaler
    private let packed: PackedRows
    private let lumaLines: Lines
    private let uLines: Lines
    private let vLines: Lines
    private let size: PixelSize
    /// The pair of source rows that is converted next.
    private var nextPair = 0

    init(format: PixelFormat, size: PixelSize, output: PixelSize) {
        self.size = size
        luma = PlaneScaler(
            width: Double(size.width), height: Double(size.height), outputWidth: output.width,
            outputHeight: output.height)
        chroma = PlaneScaler(
            width: Double(size.width) / 2, height: Double(size.height) / 2, outputWidth: output.width / 2,
            outputHeight: output.height / 2)
        packed = PackedRows(format: format, width: size.width)
        // Rows of two outputs, their neighbours, and the pair at either end.
        let pairs = max(luma.vertical.taps, chroma.vertical.taps) + 3
        lumaLines = Lines(count: 2 * pairs, width: size.width + 1)
        uLines = Lines(count: pairs, width: (size.width + 1) / 2)
        vLines = Lines(count: pairs, width: (size.width + 1) / 2)
    }

    /// The outputs that depend on an area of the source, to even borders.
    func outputs(touching area: PixelRect) -> PixelRect {
        let columns = Self.outputs(luma.horizontal, chroma.horizontal, touching: area.x..<area.maxX)
        let rows = Self.outputs(luma.vertical, chroma.vertical, touching: area.y..<area.maxY)
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func outputs(
        _ luma: AxisFilter, _ chroma: AxisFilter, touching inputs: Range<Int>
    ) -> Range<Int> {
        let fine = luma.outputs(touching: inputs)
        let coarse = chroma.outputs(touching: inputs.lowerBound / 2..<(inputs.upperBound + 1) / 2)
        let low = min(fine.lowerBound, 2 * coarse.lowerBound)
        let high = max(fine.upperBound, 2 * coarse.upperBound)
        return low & ~1..<(high + 1) & ~1
    }

    /// Makes an area of outputs, even on all sides.
    func convert(_ source: SourcePlanes, outputs area: PixelRect, into content: ContentPlanes) {
        let columns = area.x..<area.maxX
        let chromaColumns = area.x / 2..<area.maxX / 2
        nextPair = 0
        for row in area.y / 2..<area.maxY / 2 {
            prepare(source, chromaRow: row, columns: columns, chromaColumns: chromaColumns)
            for lumaRow in [2 * row, 2 * row + 1] {
                luma.makeRow(
                    lumaRow, outputs: columns, from: { self.lumaRow($0, of: source) }, into: content.luma(lumaRow))
            }
            chroma.makeRow(row, outputs: chromaColumns, from: { self.uRow($0, of: source) }, into: content.u(row))
            chroma.makeRow(row, outputs: chromaColumns, from: { self.vRow($0, of: source) }, into: content.v(row))
        }
    }

    // MARK: Source rows

    private func lumaRow(_ row: Int, of source: SourcePlanes) -> RowKernels.Row {
        switch source.format {
        case .bgra, .bgr10: RowKernels.Row(lumaLines[row])
        case .nv12, .i420: source.first(row)
        }
    }

    private func uRow(_ row: Int, of source: SourcePlanes) -> RowKernels.Row {
        source.format == .i420 ? source.second(row) : RowKernels.Row(uLines[row])
    }

    private func vRow(_ row: Int, of source: SourcePlanes) -> RowKernels.Row {
        source.format == .i420 ? source.third(row) : RowKernels.Row(vLines[row])
    }

    /// Converts the pairs of source rows that a row of chroma outputs and its two rows of luma outputs need.
    private func prepare(
        _ source: SourcePlanes, chromaRow: Int, columns: Range<Int>, chromaColumns: Range<Int>
    ) {
        let chromaRows = chroma.vertical.inputs(for: chromaRow..<chromaRow + 1)
        let lumaRows = luma.vertical.inputs(for: 2 * chromaRow..<2 * chromaRow + 2)
        let first = min(chromaRows.lowerBound, lumaRows.lowerBound / 2)
        let end = min(max(chromaRows.upperBound, (lumaRows.upperBound + 1) / 2), (size.height + 1) / 2)
        for pair in max(first, nextPair)..<max(first, nextPair, end) {
            switch source.format {
            case .bgra, .bgr10: convertPair(pair, of: source, columns: columns, chromaColumns: chromaColumns)
            case .nv12:
                let inputs = chroma.horizontal.inputs(for: chromaColumns)
                RowKernels.split(
                    source.second(pair) + 2 * inputs.lowerBound, width: inputs.count,
                    into: (uLines[pair] + inputs.lowerBound, vLines[pair] + inputs.lowerBound))
            case .i420: break
            }
        }
        nextPair = max(nextPair, end)
    }

    private func convertPair(
        _ pair: Int, of source: SourcePlanes, columns: Range<Int>, chromaColumns: Range<Int>
    ) {
        let fine = luma.horizontal.inputs(for: columns)
        let coarse = chroma.horizontal.inputs(for: chromaColumns)
        let left = min(fine.lowerBound, 2 * coarse.lowerBound) & ~1
        let right = min(max(fine.upperBound, 2 * coarse.upperBound), size.width)
        RowKernels.convert(
            packed.pair(pair, of: source, columns: left..<right), ahead: packed.ahead(of: pair, in: source),
            width: right - left,
            luma: (lumaLines[2 * pair] + left, lumaLines[2 * pair + 1] + left),
            chroma: (uLines[pair] + left / 2, vLines[pair] + left / 2))
    }
}
