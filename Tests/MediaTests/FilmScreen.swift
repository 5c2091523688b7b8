import Media
import Timebase

/// A display of 60 Hz with windows that change in their own time, and what is seen of them.
enum FilmScreen {
    static let size = PixelSize(width: 1920, height: 1080)
    static let left = PixelRect(x: 60, y: 100, width: 854, height: 480)
    static let right = PixelRect(x: 1000, y: 80, width: 800, height: 900)

    struct Window {
        var area: PixelRect
        /// New pictures a second.
        var rate: Int
        /// Each tick draws it, be it with the same picture.
        var isDrawnAlways = false
        var isScrolled = false
        var changed = 0.9
        /// Seconds.
        var from = 0
        var to = Int.max

        var moved: Double { isScrolled ? 0.9 : 0 }

        func isNew(at tick: Int) -> Bool { isThere(at: tick) && tick * rate / 60 != (tick - 1) * rate / 60 }
        func isDrawn(at tick: Int) -> Bool { isThere(at: tick) && (isDrawnAlways || isNew(at: tick)) }
        private func isThere(at tick: Int) -> Bool { (from * 60..<(to == .max ? .max : to * 60)).contains(tick) }
    }

    /// What looks at the pictures.
    struct Eye {
        var classifier = ContentClassifier(source: size)
        var detector = CadenceDetector()

        mutating func advance(to now: Instant) {
            detector.advance(to: now)
            classifier.advance(to: now)
        }
    }

    struct Seen {
        /// Second by second.
        var content: [Content] = []
        var cadences: [Int64?] = []
        var switches = 0
        var place: PixelRect?
    }

    /// - Parameter look: what the video pipeline does with those that a tick has drawn.
    static func watch(
        _ windows: [Window], seconds: Int, look: (_ drawn: [Window], _ tick: Int, _ now: Instant, inout Eye) -> Void
    ) -> Seen {
        var eye = Eye()
        var seen = Seen()
        for tick in 1...seconds * 60 {
            let now = Instant.zero + .seconds(1) + .nanoseconds(Int64(tick) * 16_666_667)
            let before = eye.classifier.content
            eye.advance(to: now)
            let drawn = windows.filter { $0.isDrawn(at: tick) }
            if !drawn.isEmpty { look(drawn, tick, now, &eye) }
            seen.switches += before != eye.classifier.content ? 1 : 0
            if tick % 60 == 0 {
                seen.content.append(eye.classifier.content)
                seen.cadences.append(eye.detector.cadence?.rate.nominal)
            }
        }
        seen.place = eye.classifier.place
        return seen
    }
}
