import Media

/// Takes a source's pixels over as they are, in one pass.
struct UnscaledPath {
    private let size: PixelSize
    private let packed: PackedRows

    init(format: PixelFormat, size: PixelSize) {
        self.size = size
        packed = PackedRows(format: format, width: size.width)
    }

    /// Converts an area; its corner is even, and so are its sides but at the edges of an odd picture.
    func convert(_ source: SourcePlanes, area: PixelRect, into content: ContentPlanes) {
        switch source.format {
        case .bgra, .bgr10: convertPacked(source, area, content)
        case .nv12, .i420: copyPlanes(source, area, content)
        }
        repeatEdges(area, content)
    }

    private func convertPacked(_ source: SourcePlanes, _ area: PixelRect, _ content: ContentPlanes) {
        for pair in area.y / 2..<(area.maxY + 1) / 2 {
            let rows = packed.pair(pair, of: source, columns: area.x..<area.maxX)
            // The second row of an odd height's last pair goes to the spare row of the picture.
            RowKernels.convert(
                rows, ahead: packed.ahead(of: pair, in: source), width: area.width,
                luma: (content.luma(2 * pair) + area.x, content.luma(2 * pair + 1) + area.x),
                chroma: (content.u(pair) + area.x / 2, content.v(pair) + area.x / 2))
        }
    }

    private func copyPlanes(_ source: SourcePlanes, _ area: PixelRect, _ content: ContentPlanes) {
        for row in area.y..<area.maxY {
            RowKernels.copy(source.first(row) + area.x, width: area.width, into: content.luma(row) + area.x)
        }
        let left = area.x / 2
        let width = (area.width + 1) / 2
        for row in area.y / 2..<(area.maxY + 1) / 2 {
            if source.format == .nv12 {
                RowKernels.split(
                    source.second(row) + 2 * left, width: width, into: (content.u(row) + left, content.v(row) + left))
            } else {
                RowKernels.copy(source.second(row) + left, width: width, into: content.u(row) + left)
                RowKernels.copy(source.third(row) + left, width: width, into: content.v(row) + left)
            }
        }
    }

    /// The chroma samples at the edge of an odd size reach one column or row further: so does the luma.
    private func repeatEdges(_ area: PixelRect, _ content: ContentPlanes) {
        if area.maxX % 2 == 1 {
            for row in area.y..<area.maxY { content.luma(row)[area.maxX] = content.luma(row)[area.maxX - 1] }
        }
        if area.maxY % 2 == 1 {
            RowKernels.copy(
                content.luma(area.maxY - 1) + area.x, width: (area.width + 1) & ~1,
                into: content.luma(area.maxY) + area.x)
        }
    }
}
