/// Where something changed: a few areas, each far from the others.
package struct DamagedAreas: Sendable {
    package private(set) var areas: [PixelRect] = []

    package init() {}

    package init(_ area: PixelRect) { add(area) }

    package var isEmpty: Bool { areas.isEmpty }

    /// The smallest rectangle around all of them.
    package var boundingBox: PixelRect { areas.reduce(.nothing) { $0.union($1) } }

    /// What lies near becomes one area with it. Where there are too many, so do the two that cover least besides then.
    package mutating func add(_ area: PixelRect) {
        guard !area.isEmpty else { return }
        var area = area
        while let index = areas.firstIndex(where: { $0.isNear(area) }) { area = area.union(areas.remove(at: index)) }
        areas.append(area)
        if areas.count > Self.most { joinTwo() }
    }

    package mutating func add(_ others: DamagedAreas) {
        for area in others.areas { add(area) }
    }

    private mutating func joinTwo() {
        var best = (first: 0, second: 1, besides: Int.max)
        for first in areas.indices {
            for second in areas.indices where second > first {
                let (one, other) = (areas[first], areas[second])
                let besides = one.union(other).size.area - one.size.area - other.size.area
                if besides < best.besides { best = (first, second, besides) }
            }
        }
        let second = areas.remove(at: best.second)
        add(areas.remove(at: best.first).union(second))
    }

    /// Enough for two films, something that is written and a clock.
    private static let most = 4
    /// A server tells of one drawing in several rectangles, where windows cover a part of it; and a film in a remote desktop
    /// comes in tiles of 64 pixels a side, some of which stay as they were.
    fileprivate static let reach = 64
}

extension PixelRect {
    fileprivate func isNear(_ other: PixelRect) -> Bool {
        let reach = DamagedAreas.reach
        return max(x, other.x) - min(maxX, other.maxX) <= reach && max(y, other.y) - min(maxY, other.maxY) <= reach
    }
}
