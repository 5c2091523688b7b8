import Glibc
import OggOpus
import ScreenShare

/// The sound as an Ogg Opus file whose time zero is the first picture. Used by one task.
actor AudioFile {
    private let output: OutputFile
    private let writer = OggOpusWriter(serial: UInt32.random(in: 0...(.max)), origin: 0)
    private var hasBegun = false
    /// What came before it was known where it belongs.
    private var early: [AudioPiece] = []

    init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 {
            throw Failure(.outputError, "can't write the sound to \(path): \(String(cString: strerror(errno)))")
        }
        output = OutputFile(descriptor: descriptor)
    }

    func write(_ piece: AudioPiece) async throws {
        guard let timestamp = piece.timestamp else {
            if early.count < Self.earlyPieces { early.append(piece) }
            return
        }
        try await begin()
        var start = timestamp - early.reduce(0) { $0 + Int64($1.frames) }
        for piece in early + [piece] {
            try await append(piece, at: start)
            start += Int64(piece.frames)
        }
        early = []
    }

    /// Two seconds.
    private static let earlyPieces = 100

    private func begin() async throws {
        if hasBegun { return }
        hasBegun = true
        try await output.write(writer.header)
    }

    /// What was heard before the first picture has no place in the file.
    private func append(_ piece: AudioPiece, at timestamp: Int64) async throws {
        guard timestamp >= 0 else { return }
        guard let opus = piece.opus else { return try await output.write(writer.fill(to: timestamp)) }
        guard let pages = try? writer.append(opus, timestamp: timestamp) else { return }
        try await output.write(pages)
    }

    func finish() async throws {
        try await begin()
        try await output.write(writer.finish())
    }
}
