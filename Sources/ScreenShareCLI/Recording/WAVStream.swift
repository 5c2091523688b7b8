/// Decoded sound as a WAV file (RIFF, 16-bit PCM, 48 kHz, stereo), in chunks to be appended to it. Its lengths say "as
/// long as it goes on", as is usual for a stream: a process that is killed leaves a file that plays up to there.
struct WAVStream {
    /// Frames written.
    private(set) var end: Int64 = 0

    /// Of a stream; `finishedHeader` takes its place once it has ended.
    static let header = head(dataBytes: .max)

    private static func head(dataBytes: UInt32) -> [UInt8] {
        let (riffBytes, overflow) = dataBytes.addingReportingOverflow(36)
        return Array("RIFF".utf8) + littleEndian(overflow ? .max : riffBytes) + Array("WAVEfmt ".utf8)
            + littleEndian(UInt32(16)) + littleEndian(UInt16(1)) + littleEndian(UInt16(2)) + littleEndian(UInt32(48_000))
            + littleEndian(UInt32(48_000 * 4)) + littleEndian(UInt16(4)) + littleEndian(UInt16(16))
            + Array("data".utf8) + littleEndian(dataBytes)
    }

    /// The header of a file of so many bytes: more than six hours have no length in this format.
    static func finishedHeader(length: Int64) -> [UInt8] {
        let frames = max(0, length - Int64(header.count)) / 4
        return head(dataBytes: UInt32(exactly: frames * 4) ?? .max)
    }

    /// What is missing before a timestamp, as silence: a second of it at most.
    mutating func fill(to timestamp: Int64) -> [UInt8] {
        let (gap, overflow) = timestamp.subtractingReportingOverflow(end)
        guard !overflow, gap > 0 else { return [] }
        let frames = min(gap, Self.longestFill)
        end += frames
        return [UInt8](repeating: 0, count: Int(frames) * 4)
    }

    static let longestFill: Int64 = 48_000

    /// - Parameters:
    ///   - samples: left and right in turn, −1…1.
    ///   - timestamp: of the first frame, in frames since the file's beginning; what was written already is left out.
    mutating func append(_ samples: [Float], at timestamp: Int64) -> [UInt8] {
        // What is farther off comes from a clock that began anew, and goes on here.
        let (late, overflow) = end.subtractingReportingOverflow(timestamp)
        let covered = overflow || late > Self.lateFrames ? 0 : max(0, late)
        let rest = samples.dropFirst(2 * Int(min(covered, Int64(samples.count))))
        end += Int64(rest.count / 2)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count * 2)
        for sample in rest {
            // What is no number is no sound.
            let value = sample.isNaN ? 0 : Int16(max(-1, min(1, sample)) * 32_767)
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return bytes
    }

    /// Ten seconds.
    private static let lateFrames: Int64 = 480_000

    private static func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
