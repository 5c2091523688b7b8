import Glibc
import ScreenShare
import Timebase

/// The sound as a file whose time zero is the first picture: Ogg Opus as it came, or WAV of what is heard. Used by one
/// task.
actor AudioFile {
    private let output: OutputFile
    private var format: any AudioFileFormat
    private var hasBegun = false
    private var early = EarlyAudio()
    private var guessed = GuessedAudio()
    private var timeline = AudioTimeline(openedAt: .now)

    nonisolated var isRead: Bool { output.isRead }

    /// Whether a file of this name holds decoded sound.
    static func isDecoded(_ path: String) -> Bool { path.lowercased().hasSuffix(".wav") }

    static func isKnown(_ path: String) -> Bool {
        [".wav", ".opus", ".ogg"].contains { path.lowercased().hasSuffix($0) }
    }

    init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 {
            throw Failure(.outputError, "can't write the sound to \(path): \(String(cString: strerror(errno)))")
        }
        output = OutputFile(descriptor: descriptor)
        format = Self.isDecoded(path) ? WAVFile() : OpusFile()
    }

    func write(_ piece: AudioPiece) async throws {
        // Put in for a listener in real time.
        if piece.isInserted { return }
        guard piece.timestamp != nil else { return early.keep(piece) }
        try await begin()
        for known in early.placed(by: piece) {
            for due in guessed.pass(known.piece, at: known.timestamp) { try await put(due.piece, at: due.timestamp) }
        }
    }

    private func put(_ piece: AudioPiece, at timestamp: Int64) async throws {
        // What was heard before the first picture has no place in the file.
        let isSpanning = timestamp < 0 && timestamp.addingSaturating(Int64(piece.frames)) > 0
        guard timestamp >= 0 || isSpanning && format.cutsPieces else { return }
        let place = timeline.place(timestamp, heardAt: piece.playAt, behind: format.end)
        let step = format.longestFill
        for stop in stride(from: format.end + step, to: place, by: Int(step)) {
            try await output.write(format.fill(to: stop))
        }
        try await output.write(format.append(piece, at: place))
    }

    private func begin() async throws {
        if hasBegun { return }
        hasBegun = true
        try await output.write(format.header)
    }

    /// Where the end has no room any more, the file says how long it is all the same.
    func finish() async throws {
        var failure: (any Error)?
        do { try await end() } catch { failure = error }
        if let length = output.length, let header = format.finishedHeader(length: length) {
            do { try await output.rewrite(header, at: 0) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func end() async throws {
        try await begin()
        for due in guessed.finish() { try await put(due.piece, at: due.timestamp) }
        try await output.write(format.finish())
    }
}
