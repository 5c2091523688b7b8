import CShims

/// Resamples one kind of plane (luma, or both chromas), row by row: down the columns first, then along the row.
struct PlaneScaler {
    let vertical: AxisFilter
    let horizontal: AxisFilter
    private let rowWeights: [UInt16]
    private let columnWeights: [Int8]
    private let columns: Int
    private let line: Lines

    /// - Parameters:
    ///   - width: samples that a row covers; half ones for the chroma of an odd width.
    ///   - height: rows covered, likewise.
    init(width: Double, height: Double, outputWidth: Int, outputHeight: Int) {
        // Sixteen bits hold 255 × 256; the kernel along the row takes signed bytes, four taps at a time.
        vertical = AxisFilter(extent: height, outputs: outputHeight, unit: 256, most: 256)
        horizontal = AxisFilter(extent: width, outputs: outputWidth, unit: 128, most: 127, tapUnit: 4)
        rowWeights = vertical.weights.map { UInt16($0) }
        columnWeights = horizontal.weights.map { Int8($0) }
        columns = Int(width.rounded(.up))
        line = Lines(count: 1, width: columns)
    }

    /// Makes the outputs of one row.
    ///
    /// - Parameters:
    ///   - row: gives a source row, whose columns are valid where these outputs need them.
    ///   - destination: where output 0 of the row goes.
    func makeRow(
        _ output: Int, outputs: Range<Int>, from row: (Int) -> UnsafePointer<UInt8>,
        into destination: UnsafeMutablePointer<UInt8>
    ) {
        let inputs = horizontal.inputs(for: outputs)
        let line = line[0]
        blend(output, columns: inputs, from: row, into: line)
        if inputs.upperBound == columns { line[columns] = line[columns - 1] }
        horizontal.starts.withUnsafeBufferPointer { starts in
            columnWeights.withUnsafeBufferPointer { weights in
                guard let starts = starts.baseAddress, let weights = weights.baseAddress else { return }
                shim_resample_row(
                    line, starts + outputs.lowerBound, weights + outputs.lowerBound * horizontal.taps,
                    Int32(horizontal.taps), Int32(outputs.count), destination + outputs.lowerBound)
            }
        }
    }

    /// The source rows of one output row, weighted and added.
    private func blend(
        _ output: Int, columns: Range<Int>, from row: (Int) -> UnsafePointer<UInt8>,
        into line: UnsafeMutablePointer<UInt8>
    ) {
        let first = Int(vertical.starts[output])
        let count = vertical.used(output)
        withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: count) { rows in
            for tap in 0..<count { rows.initializeElement(at: tap, to: row(first + tap) + columns.lowerBound) }
            rowWeights.withUnsafeBufferPointer { weights in
                guard let rows = rows.baseAddress, let weights = weights.baseAddress else { return }
                shim_blend_rows(
                    rows, weights + output * vertical.taps, Int32(count), Int32(columns.count),
                    line + columns.lowerBound)
            }
        }
    }
}
