import CShims
import Media

/// The door to the pixel kernels: rows of memory that outlive the call, sizes that the callers have checked.
enum RowKernels {
    typealias Row = UnsafePointer<UInt8>
    typealias MutableRow = UnsafeMutablePointer<UInt8>

    /// A pair of rows of packed colours as rows of Y and a row each of U and V.
    ///
    /// - Parameter ahead: bytes to the rows that come next; 0 where they are none of the source's.
    @inline(__always)
    static func convert(
        _ rows: (Row, Row), ahead: Int, width: Int, luma: (MutableRow, MutableRow), chroma: (MutableRow, MutableRow)
    ) {
        shim_bgra_rows_to_i420(rows.0, rows.1, ahead, Int32(width), luma.0, luma.1, chroma.0, chroma.1)
    }

    @inline(__always)
    static func unpack(_ row: Row, width: Int, into bgra: MutableRow) {
        shim_bgr10_row_to_bgra(row, Int32(width), bgra)
    }

    @inline(__always)
    static func split(_ uv: Row, width: Int, into chroma: (MutableRow, MutableRow)) {
        shim_split_uv_row(uv, Int32(width), chroma.0, chroma.1)
    }

    @inline(__always)
    static func copy(_ row: Row, width: Int, into output: MutableRow) {
        output.update(from: row, count: width)
    }
}
