/// A few rows of samples, reused as the work goes down a picture: row r lies where row r − `count` lay.
///
/// Each is padded, because kernels read whole vectors.
final class Lines {
    /// What a kernel may read beyond a row's last sample.
    private static let padding = 64
    private let memory: UnsafeMutablePointer<UInt8>
    private let stride: Int
    private let count: Int

    init(count: Int, width: Int) {
        self.count = count
        stride = (width + Self.padding + 63) & ~63
        memory = .allocate(capacity: stride * count)
        memory.initialize(repeating: 0, count: stride * count)
    }

    deinit { memory.deallocate() }

    subscript(row: Int) -> UnsafeMutablePointer<UInt8> { memory + row % count * stride }
}
