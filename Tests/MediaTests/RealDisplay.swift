import TestSupport
import Timebase

/// What plays on a display whose true refresh is not quite what it is called: 59.93 to 60.05 Hz for 60. The player's clock
/// is true, and so is ours.
struct RealDisplay: CustomStringConvertible {
    enum Player {
        /// Shows each picture at the first tick at which it is due.
        case byClock
        /// Shows each picture for a number of ticks, as if the display had this refresh: mpv's display-resample.
        case byTicks(asIf: Double)
    }

    /// Pictures a second of the source.
    var rate: Double
    /// Ticks a second, truly.
    var refresh: Double
    var player = Player.byClock
    /// Each picture is noticed up to this much later, in seconds.
    var jitter = 0.002
    /// One capture in so many is dropped; 0: none.
    var droppedOf = 1000
    /// The player is busy for a moment, about so many seconds apart; 0: never.
    var busyEvery = 0.0

    var description: String { "\(rate) on \(refresh) Hz" }

    /// Pictures a second of the source by true time.
    private var trueRate: Double {
        switch player {
        case .byClock: rate
        case .byTicks(let nominal): rate * refresh / nominal
        }
    }

    /// Pictures a second that the display shows: it has no more than its ticks.
    var shownRate: Double { min(trueRate, refresh) }

    /// When new pictures were seen.
    func times(seconds: Double, seed: UInt64) -> [Instant] {
        var random = SeededGenerator(seed: seed)
        let phase = Double.random(in: 0..<1, using: &random)
        var busyUntil = 0.0
        var shown = -1.0
        var times: [Instant] = []
        for tick in 0..<Int(seconds * refresh) {
            let time = Double(tick) / refresh
            if busyEvery > 0, Double.random(in: 0..<1, using: &random) < 1 / (busyEvery * refresh) {
                busyUntil = time + Double.random(in: 0.01..<0.12, using: &random)
            }
            let picture = (time * trueRate + phase + 1e-9).rounded(.down)
            let late = Double.random(in: 0...jitter, using: &random)
            let isDropped = droppedOf > 0 && Int.random(in: 0..<droppedOf, using: &random) == 0
            guard picture > shown, time >= busyUntil else { continue }
            shown = picture
            if !isDropped { times.append(.zero + .seconds(1) + .nanoseconds(Int64((time + late) * 1e9))) }
        }
        return times
    }
}
