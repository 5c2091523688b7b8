import CShims
import Media
import Timebase

/// Tells whether a frame shows anything new where its source says that it changed: pixel by pixel, luma and chroma,
/// beside the pointer.
///
/// The source's memory holds only the newest picture, so a number for each 128 pixels of each row is kept of the areas
/// that were compared last: 130 kB for a whole screen of 1920×1080.
package struct FrameComparer {
    /// Of the areas compared last; the newest is the last.
    private var known: [RowPrints] = []

    package init() {}

    /// Compares an area with what it showed when it was compared before; all of it is new where that is not known.
    package mutating func compare(_ frame: ScreenFrame, in area: PixelRect) -> FrameDifference {
        let area = area.intersection(PixelRect(frame.pixels.size))
        guard !area.isEmpty else { return FrameDifference(area: area, changed: 0) }
        let after = RowPrints(of: frame, in: area)
        // What lies beyond this picture can't be read again.
        let picture = PixelRect(frame.pixels.size)
        known.removeAll { frame.capturedAt - $0.comparedAt > Self.memory || !picture.contains($0.area) }
        let before = known.first { $0.area == area }
        known.removeAll { $0.area == area }
        keepTrue(by: frame)
        if known.count >= Self.areas { known.removeFirst() }
        known.append(after)
        return before.map { after.difference(from: $0, in: frame) } ?? FrameDifference(area: area, changed: 1)
    }

    /// The pointer alone was drawn anew: what is known shows it where it is now.
    package mutating func pointerChanged(in frame: ScreenFrame) {
        let picture = PixelRect(frame.pixels.size)
        known.removeAll { !picture.contains($0.area) }
        for index in known.indices { known[index].renewPointer(of: frame) }
    }

    /// What changed under another area's numbers makes them untrue. Of a small part, such as a caret on a page that is
    /// scrolled, they are made anew: that something moved is not to be forgotten for it.
    private mutating func keepTrue(by frame: ScreenFrame) {
        for index in known.indices.reversed() {
            let part = known[index].area.intersection(frame.content)
            let isSmall = part.size.area * Self.smallParts <= known[index].area.size.area
            guard part.isEmpty || isSmall && part.intersection(frame.pointer).isEmpty else {
                known.remove(at: index)
                continue
            }
            if !part.isEmpty { known[index].renew(part, of: frame) }
            known[index].renewPointer(of: frame)
        }
    }

    /// A film, what is typed beside it, and what holds both.
    private static let areas = 3
    private static let smallParts = 4
    /// Of an area that was not compared for so long nothing is known.
    private static let memory = Duration.seconds(30)
}

/// A number for what a frame shows where it changed, made of a few of its rows: enough to tell whether what moves has
/// moved on.
package enum Glance {
    package static func number(of frame: ScreenFrame) -> UInt64 {
        let area = frame.damage.intersection(PixelRect(frame.pixels.size))
        guard !area.isEmpty else { return 0 }
        var number: UInt64 = 0
        SourcePlanes.lend(frame.pixels) { planes in
            for row in stride(from: area.y, to: area.maxY, by: max(1, area.height / rows)) {
                number = planes.fingerprint(row: row, columns: area.x..<area.maxX, continuing: number)
            }
        }
        return number
    }

    private static let rows = 48
}

/// A number for each 128 pixels of each row of an area: equal numbers, equal pixels.
private struct RowPrints {
    let area: PixelRect
    let comparedAt: Instant
    private var pointer: PixelRect
    private let columns: Int
    /// Column by column.
    private var values: [UInt64]
    private let landmarks: Landmarks

    init(of frame: ScreenFrame, in area: PixelRect) {
        self.area = area
        comparedAt = frame.capturedAt
        pointer = frame.pointer
        columns = (area.width + Self.width - 1) / Self.width
        values = [UInt64](repeating: 0, count: columns * area.height)
        landmarks = Landmarks(of: frame.pixels, in: area)
        renew(area, of: frame)
    }

    /// The numbers of a part, as the frame shows it.
    mutating func renew(_ part: PixelRect, of frame: ScreenFrame) {
        let touched = (part.x - area.x) / Self.width...(part.maxX - 1 - area.x) / Self.width
        SourcePlanes.lend(frame.pixels) { planes in
            for row in part.y - area.y..<part.maxY - area.y {
                for column in touched {
                    let left = area.x + column * Self.width
                    values[column * area.height + row] = planes.fingerprint(
                        row: area.y + row, columns: left..<min(left + Self.width, area.maxX))
                }
            }
        }
    }

    /// The same of what the pointer hides and bares since then: back where it was, it would be no difference otherwise.
    mutating func renewPointer(of frame: ScreenFrame) {
        for part in [pointer, frame.pointer].map({ $0.intersection(area) }) where !part.isEmpty { renew(part, of: frame) }
        pointer = frame.pointer
    }

    /// - Parameter frame: what these are the numbers of.
    func difference(from before: RowPrints, in frame: ScreenFrame) -> FrameDifference {
        let hidden = [pointer, before.pointer].filter { !$0.intersection(area).isEmpty }
        var isChanged = [Bool](repeating: false, count: area.height)
        var most = (rows: 0, column: 0)
        var isHidden = false
        for column in 0..<columns {
            var seen = 0
            for row in 0..<area.height where differs(column, row, before) {
                if hides(hidden, column, row) {
                    isHidden = true
                } else {
                    seen += 1
                    isChanged[row] = true
                }
            }
            if seen > most.rows { most = (seen, column) }
        }
        guard most.rows > 0 else { return FrameDifference(area: area, changed: 0, isHidden: isHidden) }
        let share = Double(isChanged.count { $0 }) / Double(area.height)
        // Bars beside what is scrolled stand still, so one column tells.
        let moved = RowMotion.share(before: before.rows(of: most.column), after: rows(of: most.column))
        let panned = moved < Self.enough ? before.landmarks.share(movedIn: frame.pixels) : 0
        return FrameDifference(area: area, changed: share, moved: moved, panned: panned, isHidden: isHidden)
    }

    private func rows(of column: Int) -> ArraySlice<UInt64> {
        values[column * area.height..<(column + 1) * area.height]
    }

    private func differs(_ column: Int, _ row: Int, _ before: RowPrints) -> Bool {
        values[column * area.height + row] != before.values[column * area.height + row]
    }

    private func hides(_ pointers: [PixelRect], _ column: Int, _ row: Int) -> Bool {
        let left = area.x + column * Self.width
        return pointers.contains { pointer in
            pointer.x < left + Self.width && pointer.maxX > left && pointer.y <= area.y + row
                && area.y + row < pointer.maxY
        }
    }

    private static let width = 128
    /// Where so much was moved up or down, nothing else is looked for.
    private static let enough = 0.5
}

extension SourcePlanes {
    /// A number for what stands in some pixels of a row; what a pixel's spare bits hold does not count.
    fileprivate func fingerprint(row y: Int, columns: Range<Int>, continuing seed: UInt64 = 0) -> UInt64 {
        let (left, width) = (columns.lowerBound, columns.count)
        switch format {
        case .bgra, .bgr10: return shim_fingerprint(first(y) + 4 * left, 4 * width, seed, format.mask)
        case .nv12:
            let luma = shim_fingerprint(first(y) + left, width, seed, .max)
            return shim_fingerprint(second(y / 2) + (left & ~1), (width + 1) & ~1, luma, .max)
        case .i420:
            let luma = shim_fingerprint(first(y) + left, width, seed, .max)
            let u = shim_fingerprint(second(y / 2) + left / 2, (width + 1) / 2, luma, .max)
            return shim_fingerprint(third(y / 2) + left / 2, (width + 1) / 2, u, .max)
        }
    }
}
