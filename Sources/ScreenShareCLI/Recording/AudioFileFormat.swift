import OggOpus
import ScreenShare
import Timebase

/// How a file of sound is written: chunks to be appended to it. Timestamps count from the file's zero in ticks of 1/48000 s.
protocol AudioFileFormat {
    /// What the file begins with.
    var header: [UInt8] { get }
    /// Where sound goes on without a gap.
    var end: Int64 { get }
    /// At most so much is filled at a time.
    var longestFill: Int64 { get }
    /// Of a piece that begins before the file does, the rest is written.
    var cutsPieces: Bool { get }
    /// What is missing before a timestamp, as silence.
    mutating func fill(to timestamp: Int64) -> [UInt8]
    /// A piece, behind what is missing before it.
    mutating func append(_ piece: AudioPiece, at timestamp: Int64) -> [UInt8]
    /// The rest of the file.
    mutating func finish() -> [UInt8]
    /// What takes the header's place at the end of a file of so many bytes; nil where it stays.
    func finishedHeader(length: Int64) -> [UInt8]?
}

/// Packets as they came.
struct OpusFile: AudioFileFormat {
    private let writer = OggOpusWriter(serial: UInt32.random(in: 0...(.max)), origin: 0)

    var header: [UInt8] { writer.header }
    var end: Int64 { writer.end ?? 0 }
    /// The writer takes a gap of more than an hour for a clock that began anew.
    let longestFill: Int64 = 1800 * 48_000
    let cutsPieces = false

    func fill(to timestamp: Int64) -> [UInt8] { writer.fill(to: timestamp) }

    func append(_ piece: AudioPiece, at timestamp: Int64) -> [UInt8] {
        guard let opus = piece.opus else { return writer.fill(to: timestamp) }
        return (try? writer.append(opus, timestamp: timestamp)) ?? []
    }

    func finish() -> [UInt8] { writer.finish() }

    func finishedHeader(length: Int64) -> [UInt8]? { nil }
}

/// What is heard.
struct WAVFile: AudioFileFormat {
    private var stream = WAVStream()

    var header: [UInt8] { WAVStream.header }
    var end: Int64 { stream.end + Self.delay }
    let longestFill = WAVStream.longestFill
    let cutsPieces = true

    mutating func fill(to timestamp: Int64) -> [UInt8] { stream.fill(to: timestamp - Self.delay) }

    mutating func append(_ piece: AudioPiece, at timestamp: Int64) -> [UInt8] {
        let isNear = stream.end > 0 && timestamp.subtractingSaturating(end).magnitude < Self.nearness
        let place = isNear ? end : timestamp
        return fill(to: place) + stream.append(piece.samples, at: place - Self.delay)
    }

    func finish() -> [UInt8] { [] }

    func finishedHeader(length: Int64) -> [UInt8]? { WAVStream.finishedHeader(length: length) }

    private static let delay = Int64(AudioPiece.decoderDelay)
    /// Some sharers date packets by a clock: a piece that is so little off goes on where the file ends (2.5 ms), for each hole
    /// or cut would be heard.
    private static let nearness: UInt64 = 120
}
