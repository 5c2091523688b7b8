import ScreenShare

/// Where a viewer's pictures and sound go. Pictures are written by one task, sound by another.
enum ViewOutput: Sendable {
    /// Pictures as they are, and the sound in a file of its own, if any.
    case annexB(OutputFile, sound: AudioFile?)
    /// Both in one.
    case matroska(MatroskaFile)

    /// - Parameter session: it knows whether there will be sound, which matters where both go into one file.
    /// - Returns: bytes written.
    func write(_ unit: VideoUnit, of session: ViewSession) async throws -> Int {
        switch self {
        case .annexB(let file, _):
            try await file.write(unit.annexB)
            return unit.annexB.count
        case .matroska(let file): return try await file.write(unit, hasSound: await session.hasSound)
        }
    }

    func write(_ piece: AudioPiece) async throws {
        switch self {
        case .annexB(_, let sound): try await sound?.write(piece)
        case .matroska(let file): try await file.write(piece)
        }
    }

    /// Nobody reads standard output any more.
    var hasLostReader: Bool {
        switch self {
        case .annexB(let file, _): file.hasLostReader
        case .matroska(let file): file.hasLostReader
        }
    }

    var takesSound: Bool {
        switch self {
        case .annexB(_, let sound): sound != nil
        case .matroska: true
        }
    }

    /// It is heard later, not now.
    var keepsSound: Bool {
        switch self {
        case .annexB(_, let sound): sound.map { !$0.isRead } ?? false
        case .matroska(let file): !file.isRead
        }
    }

    /// Once no more sound is written.
    func finishSound() async throws {
        switch self {
        case .annexB(_, let sound): try await sound?.finish()
        case .matroska: break
        }
    }

    /// Once nothing more is written.
    func finish() async throws {
        switch self {
        case .annexB: break
        case .matroska(let file): try await file.finish()
        }
    }
}
