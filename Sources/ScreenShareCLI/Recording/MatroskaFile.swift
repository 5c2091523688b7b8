import Matroska
import ScreenShare

/// Pictures and sound in one Matroska file. Two tasks write into it, each in its own order.
actor MatroskaFile {
    private let output: OutputFile
    private let library: ContainerLibrary
    private var writer: MatroskaWriter?
    /// Sound from before the first picture, or before it was known where it belongs.
    private var early = EarlyAudio()
    private var guessed = GuessedAudio()
    private var zero = SoundZero()
    private var hasSound = false
    private var hasTold = false
    private var lastWrite: Task<Void, any Error>?
    /// Why the latest picture, or piece of sound, that was left out was; what goes for many is said once.
    private var lastErrors: [String: ContainerError] = [:]
    /// When the first picture came that the file could not begin with.
    private var nothingSince: ContinuousClock.Instant?

    nonisolated var hasLostReader: Bool { output.hasLostReader }
    nonisolated var isRead: Bool { output.isRead }

    /// Loads libavformat, before anything is asked of the network.
    init(output: OutputFile) throws {
        self.output = output
        do throws(ContainerError) { library = try ContainerLibrary.load() } catch {
            throw Failure(.unavailable, "can't write Matroska: \(error.description)")
        }
    }

    /// - Parameter hasSound: whether a track is made for it; asked at the first picture.
    /// - Returns: bytes written.
    func write(_ unit: VideoUnit, hasSound: Bool) async throws -> Int {
        var bytes: [UInt8] = []
        do throws(ContainerError) {
            if writer == nil {
                let writer = try MatroskaWriter(firstKeyframe: unit.annexB, hasSound: hasSound, library: library)
                bytes = writer.header
                self.writer = writer
                self.hasSound = hasSound
            }
            bytes += try writer?.appendVideo(
                annexB: unit.annexB, timestamp: unit.timestamp, isKeyframe: unit.isKeyframe) ?? []
        } catch {
            try leaveOut(unit, error)
        }
        try await write(bytes)
        return bytes.count
    }

    /// One picture that has no place doesn't spoil the file; without a first one there is no file.
    private func leaveOut(_ unit: VideoUnit, _ error: ContainerError) throws {
        say("A picture is left out", error)
        guard writer == nil else { return }
        let since = nothingSince ?? unit.showAt
        nothingSince = since
        if since.duration(to: unit.showAt) > Self.longestStart {
            throw Failure(.outputError, "can't begin the Matroska file: \(error)")
        }
    }

    private func say(_ what: String, _ error: ContainerError) {
        if lastErrors.updateValue(error, forKey: what) != error { Console.line("\(what): \(error)") }
    }

    /// In ten seconds a sharer has sent another keyframe, if it ever does.
    private static let longestStart = Duration.seconds(10)

    func write(_ piece: AudioPiece) async throws {
        if piece.isInserted { return }
        guard writer != nil, piece.timestamp != nil else { return early.keep(piece) }
        guard hasSound else { return tell() }
        let placed = early.placed(by: piece).flatMap { guessed.pass($0.piece, at: $0.timestamp) }
        try await write(placed.flatMap { bytes(of: $0.piece, at: $0.timestamp) })
    }

    /// The header stands in the file already.
    private func tell() {
        if hasTold { return }
        hasTold = true
        Console.line(
            "The sharer sends sound now, and this file began without: start `view` anew, or name a file with --audio.")
    }

    private func bytes(of piece: AudioPiece, at timestamp: Int64) -> [UInt8] {
        if zero.isLater(by: piece, at: timestamp) { writer?.setSoundBack() }
        do throws(ContainerError) {
            guard let opus = piece.opus else { return try writer?.fillSound(to: timestamp) ?? [] }
            return try writer?.appendSound(opus, timestamp: timestamp) ?? []
        } catch {
            say("Sound is left out", error)
            return []
        }
    }

    /// The end: a regular file gets its length and index. Where there is no room for the index any more, it says how long it
    /// is all the same: players take such a file for one that is not here as a whole.
    func finish() async throws {
        guard let writer else { return }
        var rest = hasSound ? guessed.finish().flatMap { bytes(of: $0.piece, at: $0.timestamp) } : []
        var failure: (any Error)?
        do throws(ContainerError) { rest += try writer.finish() } catch {
            failure = Failure(.outputError, "can't complete the Matroska file: \(error)")
        }
        do { try await write(rest) } catch { failure = failure ?? error }
        for correction in writer.corrections {
            do { try await output.rewrite(correction.bytes, at: correction.offset) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// In the order in which it is called.
    private func write(_ bytes: [UInt8]) async throws {
        if bytes.isEmpty { return }
        let task = Task { [lastWrite, output] in
            _ = await lastWrite?.result
            try await output.write(bytes)
        }
        lastWrite = task
        try await task.value
    }
}
