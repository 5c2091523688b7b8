/// What libavformat has written since it was last taken.
final class ByteSink {
    /// Bytes that replace as many of those that were taken.
    private(set) var corrections: [FileCorrection] = []
    private var bytes: [UInt8] = []
    /// So many were taken before.
    private var taken: Int64 = 0
    /// In the file.
    private var position: Int64 = 0

    func take() -> [UInt8] {
        defer {
            taken += Int64(bytes.count)
            bytes = []
        }
        return bytes
    }

    func write(_ piece: UnsafeBufferPointer<UInt8>) {
        let old = min(Int64(piece.count), max(0, taken - position))
        if old > 0 { corrections.append(FileCorrection(offset: position, bytes: Array(piece.prefix(Int(old))))) }
        let start = Int(max(0, position - taken))
        let end = min(bytes.count, start + piece.count - Int(old))
        bytes.replaceSubrange(min(start, end)..<end, with: piece.dropFirst(Int(old)))
        position += Int64(piece.count)
    }

    /// - Returns: false for a place outside of the file.
    func seek(to offset: Int64) -> Bool {
        guard 0...taken + Int64(bytes.count) ~= offset else { return false }
        position = offset
        return true
    }

    /// For C, which must not outlive this.
    var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func at(_ opaque: UnsafeMutableRawPointer?) -> ByteSink? {
        opaque.map { Unmanaged<ByteSink>.fromOpaque($0).takeUnretainedValue() }
    }
}
