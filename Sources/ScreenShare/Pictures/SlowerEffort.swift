import Media
import Timebase
import VideoCodec

/// What slower viewers' pictures may take of the processor: a smaller preset first, and where that is the least, fewer
/// pictures. Those of the others stay as they are.
///
///     the least preset leaves too little time ──► one picture of two, of four, of eight
///     room for some seconds ──► a step back, until it is every picture; then a larger preset
struct SlowerEffort {
    private var effort: EncoderEffort
    private var fewer = CPUBudget(steps: 3)
    private var pictures = 0
    private var doneAt = Instant.zero

    /// What is counted of a picture is no more than so many times the room for it: one that is slow is not many.
    private static let mostOfRoom = 3
    /// Room for them is a sixteenth of a period where the others' pictures take all of it.
    private static let leastRoom = 16

    init(_ preset: X264Configuration.Preset) {
        effort = EncoderEffort(preset)
    }

    var preset: X264Configuration.Preset { effort.preset }
    /// They get one picture of so many.
    var oneOf: Int { 1 << fewer.step }

    /// Whether a picture that is begun now is made for a rung: each has turns of its own, and behind a rest there is time.
    func hasTurn(_ rung: Int, period: Duration, at now: Instant) -> Bool {
        (pictures + rung) % oneOf == 0 || now - doneAt >= period
    }

    /// Takes note of the work on a picture, the others' and theirs.
    ///
    /// - Parameters:
    ///   - waiting: for the picture, before it; the period is without that.
    /// - Returns: whether it is another preset now.
    mutating func spent(
        own: Duration, slower: Duration, waiting: Duration = .zero, of period: Duration, at now: Instant
    ) -> Bool {
        let begun = now - (own + slower + waiting)
        let room = max(period - own, begun - doneAt, period / Self.leastRoom)
        pictures += 1
        doneAt = now
        if oneOf == 1, effort.spent(own + slower, of: period, at: now) { return true }
        guard effort.isLeast else { return false }
        _ = fewer.spent(min(slower, room * Self.mostOfRoom), of: room, at: now)
        return false
    }
}
