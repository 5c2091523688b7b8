import Media
import PixelConversion
import Timebase

/// Looks at the pictures for what they are about: compares them, and remembers where something plays.
struct ContentWatch {
    private var comparer = FrameComparer()
    private var classifier: ContentClassifier

    init(source: PixelSize) {
        classifier = ContentClassifier(source: source)
    }

    var content: Content { classifier.content }

    /// - Parameter cadence: what was found of the pictures so far.
    mutating func look(at frame: ScreenFrame, cadence: Cadence?) -> Look {
        guard !frame.content.isEmpty else {
            comparer.pointerChanged(in: frame)
            return frame.damage.isEmpty ? .repeated : .beside
        }
        let place = classifier.place
        let part = part(of: frame, holding: place)
        let area = place.flatMap { part.contains($0) ? $0 : nil } ?? part
        let difference = comparer.compare(frame, in: area)
        classifier.looked(
            at: frame.capturedAt, area: part, beside: frame.parts.filter { $0 != part }, difference: difference,
            cadence: cadence)
        let isThere = place.map { area.isSimilar(to: $0) } ?? true
        if difference.isNew { return isThere ? .picture : .beside }
        return frame.damage == area && !difference.isHidden ? .repeated : .beside
    }

    /// What of the frame is looked at: the part that holds the place, or else the largest.
    private func part(of frame: ScreenFrame, holding place: PixelRect?) -> PixelRect {
        let largest = frame.parts.max { $0.size.area < $1.size.area } ?? frame.content
        guard let place else { return largest }
        return frame.parts.first { $0.contains(place) || $0.isSimilar(to: place) } ?? largest
    }

    /// What plays goes on playing in a source of another size.
    mutating func resized(to source: PixelSize, at now: Instant) {
        comparer = FrameComparer()
        classifier.resized(to: source, at: now)
    }

    mutating func advance(to now: Instant) { classifier.advance(to: now) }
}
