import CShims
import Media

/// Knows what the pictures show that the encoder still holds as references, so that a page which was there before is
/// found again at almost no cost.
///
/// Only pictures of a screen at rest are remembered: in motion there is nothing to come back to.
struct ReferenceMemory {
    /// A number for each 128 pixels of each row of a picture, strip by strip: equal numbers, equal pixels.
    typealias Rows = [UInt64]

    private struct Known {
        /// Nil where nobody looked.
        let rows: Rows?
        let quantiser: Int
        let refinement: PendingRefinement
    }

    /// An older picture that shows what a new one does.
    struct Find {
        /// Of what differs from the last picture, as much stands there.
        var share = 0.0
        /// The coarsest of it.
        var quantiser = 0
        /// How it was left.
        var refinement: PendingRefinement?
        fileprivate var rows: Rows?
    }

    /// By the order in which they were coded.
    private var pictures: [Known] = []
    private let capacity: Int

    init(references: Int) {
        capacity = references
    }

    var knowsLast: Bool { lastRows != nil }
    var lastRows: Rows? { pictures.last?.rows }

    /// The older picture that shows the most of what differs from the last one.
    func find(_ rows: Rows) -> Find {
        guard let last = pictures.last?.rows, last.count == rows.count else { return Find() }
        let changed = rows.indices.filter { rows[$0] != last[$0] }
        guard !changed.isEmpty else { return Find() }
        let found = pictures.dropLast().compactMap { older in
            older.rows.map { known in (count: changed.count { known[$0] == rows[$0] }, picture: older) }
        }
        // The latest of several was coded the finest.
        guard let best = found.last(where: { one in found.allSatisfy { $0.count <= one.count } }) else { return Find() }
        return Find(
            share: Double(best.count) / Double(changed.count), quantiser: best.picture.quantiser,
            refinement: best.picture.refinement, rows: best.picture.rows)
    }

    /// Of what differs from the last picture, the share that stood not far above or below in it: what was scrolled.
    func scrolled(_ rows: Rows, height: Int) -> Double {
        guard let last = pictures.last?.rows, last.count == rows.count else { return 0 }
        var changed = 0
        var found = 0
        // Every third strip tells enough.
        for start in stride(from: 0, to: rows.count, by: 3 * height) {
            let strip = start..<start + height
            // Rows that stand in several places, empty ones first of all, say nothing.
            let places = Dictionary(strip.map { (last[$0], $0) }) { _, _ in Self.manyPlaces }
            let news = strip.filter { rows[$0] != last[$0] && places[rows[$0]] != Self.manyPlaces }
            let moves = news.compactMap { row in places[rows[row]].map { $0 - row } }
            changed += news.count
            found += Self.most(of: moves.filter { abs($0) <= Self.scrollRange })
        }
        return changed == 0 ? 0 : Double(found) / Double(changed)
    }

    /// How often the most frequent number comes.
    private static func most(of numbers: [Int]) -> Int {
        Dictionary(numbers.map { ($0, 1) }, uniquingKeysWith: +).values.max() ?? 0
    }

    private static let manyPlaces = -1
    /// As far as x264's wide search looks.
    private static let scrollRange = 64

    /// Where a picture differs from the last one, within an area; nil where that is not known.
    func changes(_ rows: Rows, in area: PixelRect, of size: PixelSize) -> [PixelRect]? {
        guard let last = pictures.last?.rows, last.count == rows.count else { return nil }
        return Self.differences(rows, last, in: area, of: size)
    }

    /// What of a picture the older one that was found does not show.
    static func missing(_ rows: Rows, in found: Find, area: PixelRect, of size: PixelSize) -> PixelRect {
        guard let known = found.rows, known.count == rows.count else { return .nothing }
        return differences(rows, known, in: area, of: size).reduce(.nothing) { $0.union($1) }
    }

    private static func differences(
        _ rows: Rows, _ known: Rows, in area: PixelRect, of size: PixelSize
    ) -> [PixelRect] {
        strips(of: size.width).enumerated().flatMap { index, columns in
            var bands: [PixelRect] = []
            guard columns.overlaps(area.x..<area.maxX) else { return bands }
            for row in area.y..<area.maxY where rows[index * size.height + row] != known[index * size.height + row] {
                let line = PixelRect(x: columns.lowerBound, y: row, width: columns.count, height: 1).intersection(area)
                if let band = bands.last, row - band.maxY < gap {
                    bands[bands.count - 1] = band.union(line)
                } else {
                    bands.append(line)
                }
            }
            return bands
        }
    }

    private static func strips(of width: Int) -> [Range<Int>] {
        stride(from: 0, to: width, by: stripWidth).map { $0..<min($0 + stripWidth, width) }
    }

    private static let stripWidth = 128
    /// Rows that are the same between two changes: fewer are not worth two bands.
    private static let gap = 32

    /// A keyframe was made: everything before it is gone.
    mutating func forget() { pictures = [] }

    /// - Parameter refinement: what the picture was left with.
    mutating func coded(_ rows: Rows?, quantiser: Int, _ refinement: PendingRefinement) {
        let coarsest = refinement.isEmpty ? quantiser : max(quantiser, min(refinement.quantiser, QuantiserControl.coarsest))
        pictures.append(Known(rows: rows, quantiser: coarsest, refinement: refinement))
        if pictures.count > capacity { pictures.removeFirst() }
    }

    /// The last picture was coded once more.
    mutating func repeated(quantiser: Int, _ refinement: PendingRefinement, _ look: () -> Rows) {
        coded((pictures.last?.rows) ?? look(), quantiser: quantiser, refinement)
    }

    static func rows(of picture: I420Picture) -> Rows {
        var rows = Rows(repeating: 0, count: strips(of: picture.size.width).count * picture.size.height)
        look(at: picture, in: PixelRect(picture.size), for: &rows)
        return rows
    }

    /// The same, of a picture that differs from the last one in an area at most.
    func rows(of picture: I420Picture, changed area: PixelRect) -> Rows {
        let count = Self.strips(of: picture.size.width).count * picture.size.height
        guard var rows = pictures.last?.rows, rows.count == count else { return Self.rows(of: picture) }
        Self.look(at: picture, in: area, for: &rows)
        return rows
    }

    private static func look(at picture: I420Picture, in area: PixelRect, for rows: inout Rows) {
        picture.withPlanes { luma, u, v in
            for (index, columns) in strips(of: picture.size.width).enumerated()
            where columns.overlaps(area.x..<area.maxX) {
                // Two rows share their colours, which count with the even one.
                for row in area.y & ~1..<area.maxY {
                    let chroma = row / 2 * picture.chromaStride + columns.lowerBound / 2
                    var value = shim_fingerprint(
                        luma + row * picture.lumaStride + columns.lowerBound, columns.count, 0, .max)
                    for plane in [u, v] where row % 2 == 0 {
                        value = shim_fingerprint(plane + chroma, columns.count / 2, value, .max)
                    }
                    rows[index * picture.size.height + row] = value
                }
            }
        }
    }
}
