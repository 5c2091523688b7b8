import Media
import Timebase

/// What of the picture is older than the screen, and whether a fetched band is of one moment with the rest.
///
/// The server numbers its events by the last request that it had begun, and answers in order. So an event with a number
/// below that of a GetImage happened before its pixels were taken, and one with the same number after.
struct DamageTracker {
    /// Damaged and not yet fetched, in pixels of the picture.
    private(set) var damaged = DamagedAreas()
    /// When that was told of last was drawn; nil where nothing was told. An area is told of once, however often it is drawn.
    private(set) var drawnAt: Instant?
    /// The rectangle around that.
    var pending: PixelRect { damaged.boundingBox }
    /// Damaged before the pixels of the present grab were taken, but told after it was sent.
    private var overtaken = DamagedAreas()
    private var grab: UInt32?
    /// The request before it, with which the server forgot what it had told of.
    private var cleared: UInt32 = 0

    mutating func add(_ area: PixelRect, sequence: UInt32, drawnAt: Instant) {
        // Sequence numbers wrap; two that are compared lie close together.
        let isBeforeGrab = grab.map { Int32(bitPattern: sequence &- $0) < 0 } ?? false
        if isBeforeGrab { overtaken.add(area) }
        // Told after that, it is not told again when it changes once more: it is fetched once more.
        let isOpen = !isBeforeGrab || Int32(bitPattern: sequence &- cleared) >= 0
        guard isOpen else { return }
        damaged.add(area)
        self.drawnAt = drawnAt
    }

    mutating func add(_ areas: DamagedAreas) { damaged.add(areas) }

    /// A grab of everything that is pending has been sent, and before it what takes back all that was told.
    mutating func begin(grab sequence: UInt32, cleared: UInt32) {
        damaged = DamagedAreas()
        drawnAt = nil
        overtaken = DamagedAreas()
        grab = sequence
        self.cleared = cleared
    }

    /// The grab was answered.
    /// - Returns: what was damaged before its pixels were taken.
    mutating func end() -> DamagedAreas {
        defer { overtaken = DamagedAreas() }
        grab = nil
        return overtaken
    }

    /// The picture is of another size or place: nothing known of the old one counts.
    mutating func restart(with size: PixelSize) {
        self = DamageTracker()
        damaged = DamagedAreas(PixelRect(size))
    }
}

extension PixelRect {
    /// The rows to fetch for this damage: its own, or all where that is hardly dearer.
    func band(in size: PixelSize) -> Range<Int> {
        guard !isEmpty else { return 0..<0 }
        return height * 4 > size.height * Limits.bandQuarters ? 0..<size.height : y..<maxY
    }
}
