/// Tells scrolling from what is new: by rows that stood elsewhere before.
package enum RowMotion {
    /// Of the rows that look different, the share that the picture before had at one distance up or down.
    ///
    /// - Parameters:
    ///   - before: a number for what each row shows; equal numbers, equal rows.
    package static func share(before: ArraySlice<UInt64>, after: ArraySlice<UInt64>) -> Double {
        guard before.count == after.count else { return 0 }
        let before = Array(before)
        let after = Array(after)
        var places: [UInt64: Int] = [:]
        for (row, value) in before.enumerated() where isTelling(row, before) { places[value] = row }
        var changed = 0
        var distances: [Int: Int] = [:]
        for (row, value) in after.enumerated() where value != before[row] && isTelling(row, after) {
            changed += 1
            if let place = places[value] { distances[row - place, default: 0] += 1 }
        }
        guard changed >= leastRows else { return 0 }
        return Double(distances.values.max() ?? 0) / Double(changed)
    }

    /// Blank rows are alike, and tell nothing.
    private static func isTelling(_ row: Int, _ rows: [UInt64]) -> Bool { row == 0 || rows[row] != rows[row - 1] }

    private static let leastRows = 8
}
