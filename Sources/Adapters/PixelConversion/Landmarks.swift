import Media

/// Pieces of a picture's rows, by which the next picture tells whether it shows the same, moved sideways or slantwise:
/// then no row stands anywhere as it did.
///
/// What a screen moves stays the same to the bit; what a camera pans over hardly does, for noise and parts of pixels. A codec
/// repeats a pan in whole pixels, though: who asks must not take that for proof (`ContentClassifier`). Only two of the
/// pieces are looked for: whether all was moved as they were, the others tell at once. Pieces of one colour tell nothing. Of
/// planar formats luma is looked at.
struct Landmarks {
    private let area: PixelRect
    private let format: PixelFormat
    /// Piece by piece, 18 kB; nothing of an area that is too small for a film.
    private var words: [UInt64] = []

    init(of pixels: PixelBuffer, in area: PixelRect) {
        self.area = area
        format = pixels.format
        guard area.width >= Self.least.width, area.height >= Self.least.height else { return }
        words.reserveCapacity(Self.pieces * Self.length)
        SourcePlanes.lend(pixels) { planes in
            for piece in 0..<Self.pieces {
                let (x, y) = place(of: piece)
                for index in 0..<Self.length { words.append(planes.word(index, from: x, row: y)) }
            }
        }
    }

    /// Of the pieces that are gone from where they were, the share that stands elsewhere, all at one distance; 0 where it
    /// is less than half, or where they are few.
    ///
    /// - Parameter pixels: a picture that holds the area.
    func share(movedIn pixels: PixelBuffer) -> Double {
        guard pixels.format == format, !words.isEmpty else { return 0 }
        var share = 0.0
        SourcePlanes.lend(pixels) { share = self.share(movedIn: $0) }
        return share
    }

    private func share(movedIn planes: SourcePlanes) -> Double {
        let changed = (0..<Self.pieces).filter { piece in
            let (x, y) = place(of: piece)
            return isTelling(piece) && !stands(piece, x, y, in: planes)
        }
        guard changed.count >= Self.fewest else { return 0 }
        for part in 0..<Self.searches {
            let range = changed.count * part / Self.searches..<changed.count * (part + 1) / Self.searches
            // What stood near the middle is still in sight, whichever way it went.
            guard let piece = changed[range].min(by: { offCentre($0) < offCentre($1) }) else { continue }
            let share = share(of: changed, following: piece, in: planes)
            if share > 0 { return share }
        }
        return 0
    }

    /// Looks for a piece: along its own row, then in those around, the nearest first.
    private func share(of changed: [Int], following piece: Int, in planes: SourcePlanes) -> Double {
        let (x, y) = place(of: piece)
        var guesses = 0
        for step in 0...2 * Self.reach {
            let row = y + (step.isMultiple(of: 2) ? step / 2 : -(step + 1) / 2)
            guard row >= area.y, row < area.maxY else { continue }
            let reach = row == y ? area.width : Self.reach
            var next = max(area.x, x - reach)
            let end = min(area.maxX - width, x + reach) + 1
            while next < end, let column = column(of: piece, in: next..<end, row: row, planes) {
                let share = share(of: changed, movedBy: (column - x, row - y), in: planes)
                if share > 0 { return share }
                guesses += 1
                if guesses == Self.guesses { return 0 }
                next = column + 1
            }
        }
        return 0
    }

    /// The first of some columns from which on a row shows a piece.
    private func column(of piece: Int, in columns: Range<Int>, row: Int, _ planes: SourcePlanes) -> Int? {
        let own = words[piece * Self.length..<(piece + 1) * Self.length]
        guard let edge = own.firstIndex(where: \.isTwoColoured) else { return nil }
        let (wanted, mask, size) = (own[edge], format.mask, format.bytesPerPixel)
        var place = UnsafeRawPointer(planes.first(row) + size * columns.lowerBound) + 8 * (edge - own.startIndex)
        for column in columns {
            if place.loadUnaligned(as: UInt64.self) & mask == wanted, stands(piece, column, row, in: planes) {
                return column
            }
            place += size
        }
        return nil
    }

    /// Whether all was moved by as much: of the pieces that are in sight then, the share that stands there.
    private func share(of changed: [Int], movedBy distance: (x: Int, y: Int), in planes: SourcePlanes) -> Double {
        var inSight = 0
        var found = 0
        for piece in changed {
            let place = place(of: piece)
            let (x, y) = (place.x + distance.x, place.y + distance.y)
            guard x >= area.x, x + width <= area.maxX, y >= area.y, y < area.maxY else { continue }
            inSight += 1
            if stands(piece, x, y, in: planes) { found += 1 }
        }
        return found >= Self.fewest && 2 * found >= inSight ? Double(found) / Double(inSight) : 0
    }

    private func stands(_ piece: Int, _ x: Int, _ y: Int, in planes: SourcePlanes) -> Bool {
        (0..<Self.length).allSatisfy { planes.word($0, from: x, row: y) == words[piece * Self.length + $0] }
    }

    private func isTelling(_ piece: Int) -> Bool {
        words[piece * Self.length..<(piece + 1) * Self.length].count { $0.isTwoColoured } >= Self.edges
    }

    /// Where a piece begins. They lie in as many rows as can be: a few could all fall between lines of text.
    private func place(of piece: Int) -> (x: Int, y: Int) {
        (
            area.x + piece % Self.columns * (area.width - width) / (Self.columns - 1),
            area.y + piece * area.height / Self.pieces
        )
    }

    private func offCentre(_ piece: Int) -> Int {
        max(abs(piece % Self.columns - Self.columns / 2), abs(piece / Self.columns - Self.rows / 2))
    }

    /// Of a piece, in pixels.
    private var width: Int { 8 * Self.length / format.bytesPerPixel }

    /// Words of eight bytes in a piece: 32 pixels, of planar formats 128.
    private static let length = 16
    private static let columns = 13
    private static let rows = 11
    private static let pieces = columns * rows
    /// Of a piece's words, those that must have two colours in them.
    private static let edges = 2
    /// Fewer pieces, a twentieth of the area, may be anything.
    private static let fewest = 8
    /// No film is smaller.
    private static let least = PixelSize(width: 160, height: 90)
    /// What bounds the cost: pieces that are looked for, how far outside their own row, and at how many places all others
    /// are asked. Written in C, a search of 1920×1080 that finds nothing took 15 µs, 30 to 60 out of farther caches.
    private static let searches = 2
    private static let reach = 48
    private static let guesses = 8
}

extension UInt64 {
    /// Of the pixels that a word holds one half looks different from the other.
    fileprivate var isTwoColoured: Bool { UInt32(truncatingIfNeeded: self) != UInt32(truncatingIfNeeded: self >> 32) }
}

extension SourcePlanes {
    /// Eight bytes of colours, or of luma, so many words behind a pixel.
    fileprivate func word(_ index: Int, from x: Int, row y: Int) -> UInt64 {
        let start = UnsafeRawPointer(first(y) + format.bytesPerPixel * x)
        return start.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) & format.mask
    }
}
