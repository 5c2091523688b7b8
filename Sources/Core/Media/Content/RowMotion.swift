/// Tells scrolling up and down from what is new: by rows that stood elsewhere before.
package enum RowMotion {
    /// Of the rows that look different, the share that the picture before had at one distance up or down.
    ///
    /// - Parameters:
    ///   - before: a number for what each row shows; equal numbers, equal rows.
    package static func share(before: ArraySlice<UInt64>, after: ArraySlice<UInt64>) -> Double {
        guard before.count == after.count else { return 0 }
        let offset = after.startIndex - before.startIndex
        var places: [UInt64: Int] = [:]
        for row in before.indices where isTelling(row, before) { places[before[row]] = row + offset }
        var changed = 0
        var distances: [Int: Int] = [:]
        for row in after.indices where after[row] != before[row - offset] && isTelling(row, after) {
            changed += 1
            if let place = places[after[row]] { distances[row - place, default: 0] += 1 }
        }
        guard changed >= leastRows else { return 0 }
        return Double(distances.values.max() ?? 0) / Double(changed)
    }

    /// Blank rows are alike, and tell nothing.
    private static func isTelling(_ row: Int, _ rows: ArraySlice<UInt64>) -> Bool {
        row == rows.startIndex || rows[row] != rows[row - 1]
    }

    private static let leastRows = 8
}
