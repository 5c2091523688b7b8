/// Tells a rate from the one a thousandth slower where each tick of the display shows a picture, as of 59.94 in 60 Hz.
///
/// The pictures of both lie on the ticks there, but at one tick in 1001 the slower rate has none. A lost capture looks the
/// same; only, lost ones are not equally far apart time and again. Once known, that tick has to come again where it is due.
struct BeatWatch: Sendable {
    /// The first picture behind the last such tick, and when it was due, in nanoseconds. Nil behind a break.
    private var last: (index: Int64, due: Double)?
    /// Ticks between two of them, and how many such distances there were in a row.
    private var distance: Int64 = 0
    private var alike = 0

    var isFractional: Bool { alike >= CadenceLimits.beatsAlike }

    /// Behind a break the next tick without a picture is any of the next thousand.
    mutating func breakOff() { last = nil }

    /// - Parameters:
    ///   - index: of a picture, in ticks.
    ///   - rate: that of the ticks.
    ///   - isBehindNone: the tick before had no picture.
    mutating func saw(_ index: Int64, due: Double, of rate: CadenceRate, isBehindNone: Bool) {
        let ticks = index - (last?.index ?? 0)
        // What is missing before it is due was not captured.
        if isFractional, last != nil, ticks < distance - CadenceLimits.beatJitter { return }
        if ticks > distance + CadenceLimits.beatJitter { alike = 0 }
        guard isBehindNone else { return }
        defer { last = (index, due) }
        guard let before = last else { return }
        let stray = abs(due - before.due - Double(ticks) * rate.period)
        if !CadenceLimits.ticksOfBeat.contains(ticks) || stray > CadenceLimits.strayOfBeat {
            alike = 0
        } else if alike > 0, ticks >= distance - CadenceLimits.beatJitter {
            alike += 1
        } else {
            (distance, alike) = (ticks, 1)
        }
    }
}
