import Glibc
import OggOpus
import ScreenShare

/// The sound as a file whose time zero is the first picture: Ogg Opus as it came, or WAV of what is heard. Used by one
/// task.
actor AudioFile {
    private enum Format {
        case opus(OggOpusWriter)
        case wav(WAVStream)
    }

    private let output: OutputFile
    private var format: Format
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
        format =
            Self.isDecoded(path)
            ? .wav(WAVStream()) : .opus(OggOpusWriter(serial: UInt32.random(in: 0...(.max)), origin: 0))
    }

    func write(_ piece: AudioPiece) async throws {
        // Put in for a listener in real time.
        if piece.isInserted { return }
        guard piece.timestamp != nil else { return early.keep(piece) }
        try await begin()
        for (each, start) in early.placed(by: piece) {
            for (each, start) in guessed.pass(each, at: start) { try await write(each, at: start) }
        }
    }

    private func write(_ piece: AudioPiece, at start: Int64) async throws {
        // What was heard before the first picture has no place in the file.
        guard start >= 0 else { return }
        let place = timeline.place(start, heardAt: piece.playAt, behind: end)
        // The writers take a gap of more than an hour for a clock that began anew: a longer one is filled bit by bit.
        for stop in stride(from: end, to: place, by: 1800 * 48_000) {
            while let silence = silence(before: stop) { try await output.write(silence) }
            if case .opus(let writer) = format { try await output.write(writer.fill(to: stop)) }
        }
        while let silence = silence(before: place) { try await output.write(silence) }
        try await output.write(bytes(of: piece, at: place))
    }

    /// Where sound goes on without a gap.
    private var end: Int64 {
        switch format {
        case .opus(let writer): writer.end ?? 0
        case .wav(let stream): stream.end + Int64(AudioPiece.decoderDelay)
        }
    }

    private func begin() async throws {
        if hasBegun { return }
        hasBegun = true
        switch format {
        case .opus(let writer): try await output.write(writer.header)
        case .wav: try await output.write(WAVStream.header)
        }
    }

    /// Of a file of decoded sound, which has no other way to leave something out.
    private func silence(before timestamp: Int64) -> [UInt8]? {
        guard case .wav(var stream) = format else { return nil }
        defer { format = .wav(stream) }
        return stream.fill(to: timestamp - Int64(AudioPiece.decoderDelay))
    }

    private func bytes(of piece: AudioPiece, at timestamp: Int64) -> [UInt8] {
        switch format {
        case .opus(let writer):
            guard let opus = piece.opus else { return writer.fill(to: timestamp) }
            return (try? writer.append(opus, timestamp: timestamp)) ?? []
        case .wav(var stream):
            defer { format = .wav(stream) }
            return stream.append(piece.samples, at: timestamp - Int64(AudioPiece.decoderDelay))
        }
    }

    func finish() async throws {
        try await begin()
        for (piece, start) in guessed.finish() { try await write(piece, at: start) }
        switch format {
        case .opus(let writer): try await output.write(writer.finish())
        case .wav(let stream): try await output.rewrite(stream.finishedHeader, at: 0)
        }
    }
}
