import Foundation
import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("A file of sound whose clock leaps")
struct AudioFileTests {
    /// What each piece of 20 ms has for a timestamp, in ticks of 1/48000 s, and when it is heard, in seconds.
    private typealias Piece = (timestamp: Int64, heard: Double)

    /// Two seconds without a leap.
    private static let even: [Piece] = (0..<100).map { (timestamp: Int64($0) * 960, heard: Double($0) * 0.02) }

    /// The same by a clock that is so many seconds on.
    private static func later(_ seconds: Int64, heard: Double? = nil) -> [Piece] {
        even.map { (timestamp: $0.timestamp + seconds * 48_000, heard: $0.heard + (heard ?? Double(seconds))) }
    }

    /// The file that comes of it.
    private static func bytes(_ pieces: [Piece], in format: String) async throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "sound.\(format)").path
        let file = try AudioFile(path: path)
        let begin = ContinuousClock.now
        for (timestamp, heard) in pieces {
            try await file.write(
                AudioPiece(
                    // 20 ms of silence in stereo (RFC 6716 § 3.1).
                    opus: [0xFC, 0xFF, 0xFE], samples: [Float](repeating: 0.1, count: 1920), timestamp: timestamp,
                    position: timestamp, frames: 960, playAt: begin + .seconds(heard), isInserted: false))
        }
        try await file.finish()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// How many seconds the file holds.
    private static func seconds(_ pieces: [Piece], in format: String) async throws -> Double {
        let bytes = try await bytes(pieces, in: format)
        if format == "wav" { return Double(bytes.count - 44) / 4 / 48_000 }
        // The granule position of the last page (RFC 3533 § 6).
        let last = bytes.indices.dropLast(13).last { Array(bytes[$0..<$0 + 4]) == Array("OggS".utf8) }
        let page = try #require(last)
        var granule: Int64 = 0
        for byte in bytes[page + 6..<page + 14].reversed() { granule = granule << 8 | Int64(byte) }
        return Double(granule) / 48_000
    }

    @Test("Sound that begins late, or goes on after a long silence, stands where it was heard", arguments: ["wav", "opus"])
    func silence(format: String) async throws {
        let pieces = Self.later(60) + Self.later(120)
        let seconds = try await Self.seconds(pieces, in: format)
        #expect(abs(seconds - 122) < 0.1)
    }

    @Test("Of a piece that began before the first picture, decoded sound has what was heard from then on")
    func cut() async throws {
        for start in [Int64(-1360), -400, -1, 0] {
            let pieces: [Piece] = (0..<3).map { (timestamp: start + Int64($0) * 960, heard: Double($0) * 0.02) }
            let samples = try await Self.bytes(pieces, in: "wav").dropFirst(44)
            #expect(samples.count == 4 * (Int(start) + 3 * 960 - AudioPiece.decoderDelay), "from \(start) on")
            #expect(samples.allSatisfy { $0 != 0 }, "from \(start) on")
        }
    }

    @Test("Pieces whose timestamps are off by some ticks follow each other without a hole, and none is cut")
    func unevenTimestamps() async throws {
        let pieces = Self.even.enumerated().map { index, piece in
            (timestamp: piece.timestamp + (index == 0 ? 0 : Int64(index) * 7919 % 49 - 24), heard: piece.heard)
        }
        let samples = try await Self.bytes(pieces, in: "wav").dropFirst(44)
        #expect(samples.count == 4 * (100 * 960 - AudioPiece.decoderDelay))
        #expect(samples.allSatisfy { $0 != 0 })
    }

    @Test("It goes on where the file ends when the clock leaps, and when it is right again", arguments: ["wav", "opus"])
    func leap(format: String) async throws {
        for right in [75, 100] {
            let pieces: [Piece] = Array(Self.even[..<50]) + Self.later(60, heard: 0)[50..<right] + Self.even[right...]
            let seconds = try await Self.seconds(pieces, in: format)
            #expect(abs(seconds - 2) < 0.1, "right again at \(right)")
        }
    }

    @Test("A silence behind a leap lasts as long as it lasted", arguments: ["wav", "opus"])
    func silenceBehindLeap(format: String) async throws {
        let pieces = Self.even + Self.later(600, heard: 2) + Self.later(620, heard: 22)
        let seconds = try await Self.seconds(pieces, in: format)
        #expect(abs(seconds - 24) < 0.1)
    }

    @Test("Leaps that are each allowed don't add up", arguments: ["wav", "opus"])
    func manyLeaps(format: String) async throws {
        var pieces: [Piece] = []
        for leap in 0..<10 {
            let first = leap * 10
            pieces += Self.later(Int64(leap) * 5, heard: 0)[first..<first + 10]
        }
        let seconds = try await Self.seconds(pieces, in: format)
        #expect(seconds < 15)
    }
}
