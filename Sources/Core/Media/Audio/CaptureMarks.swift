/// Which frame of a queue was heard when: notes a few milliseconds apart, with straight lines between them.
struct CaptureMarks: Sendable {
    private struct Mark: Sendable {
        var index: Int64
        /// In ticks of 1/48000 s.
        var captured: Double
    }

    /// Ascending by index.
    private var marks: [Mark] = []

    var isEmpty: Bool { marks.isEmpty }

    /// The frame at `index` was heard at `captured`. Indices ascend.
    mutating func add(index: Int64, captured: Double) {
        // Close notes replace each other, so that small blocks don't make many.
        if marks.count >= 2, marks[marks.count - 1].index - marks[marks.count - 2].index < AudioLimits.markDistance {
            marks.removeLast()
        }
        marks.append(Mark(index: index, captured: captured))
    }

    /// Nothing before `index` will be asked for any more.
    mutating func forget(before index: Int64) {
        var passed = 0
        while passed + 1 < marks.count, marks[passed + 1].index <= index { passed += 1 }
        if passed > 0 { marks.removeFirst(passed) }
    }

    /// When the frame at `index` was heard; nil before the first note.
    func captured(at index: Int64) -> Double? {
        guard let first = marks.first else { return nil }
        guard let after = marks.firstIndex(where: { $0.index > index }), after > 0 else {
            let nearest = marks.last.flatMap { $0.index <= index ? $0 : nil } ?? first
            return nearest.captured + Double(index - nearest.index)
        }
        let (left, right) = (marks[after - 1], marks[after])
        let slope = (right.captured - left.captured) / Double(right.index - left.index)
        return left.captured + Double(index - left.index) * slope
    }
}
