import Media
import Testing
import Timebase

@Suite("Motion and rest where everything counts as a film")
struct MotionWatchTests {
    private func at(_ seconds: Double) -> Instant { Instant.zero + .seconds(100 + seconds) }

    /// Ten changes a second.
    private func move(_ watch: inout MotionWatch, from start: Double, to end: Double) {
        for step in 0...Int((end - start) * 10) { watch.changed(at: at(start + Double(step) / 10)) }
    }

    @Test("what changes for a second moves, until nothing has changed for two")
    func motion() {
        var watch = MotionWatch()
        move(&watch, from: 0, to: 0.9)
        #expect(!watch.isMoving(at: at(0.95)))
        move(&watch, from: 1, to: 3)
        let moving = [3, 4.9, 5.1].map { watch.isMoving(at: at($0)) }
        #expect(moving == [true, true, false])
    }

    @Test("a page that is turned now and then is at rest, also behind a film")
    func pages() {
        var watch = MotionWatch()
        move(&watch, from: 0, to: 3)
        for page in [6.0, 9, 12] {
            watch.changed(at: at(page))
            #expect(!watch.isMoving(at: at(page)))
        }
        move(&watch, from: 15, to: 16.2)
        #expect(watch.isMoving(at: at(16.2)))
    }
}
