import AudioCodec
import Media
import PeerCore
import RTP
import SystemClock
import Timebase

/// A viewer's sound on its way out: jitter buffer, decoder, and the place of each piece beside the pictures.
struct ViewAudio {
    private var playout = AudioPlayout()
    private let decoder: (any AudioDecoder)?
    /// A moment on the sharer's wall clock, and the sound's timestamp then.
    private var clock: (timestamp: Int64, captured: NTPTimestamp)?
    /// A picture's place in the file, in seconds, and its moment on the sharer's wall clock.
    private var picture: (time: Double, captured: NTPTimestamp)?
    /// Likewise, and when it is shown here.
    private var shown: (time: Double, at: Instant)?
    /// Since when there has been sound beside pictures without a moment on the sharer's clock for one of both.
    private var untoldSince: Instant?
    /// The sound's timestamp at the file's zero.
    private var zero: SteadyOffset
    /// That of before the sound's timestamps stood still or leapt, and when they did, for as long as nothing tells another, or
    /// that it holds.
    private var doubted: (zero: Int64, since: Instant)?
    /// By how much pictures are moved to stay with the sound, and the last one's time, in ticks of 1/90000 s.
    private var shift: Int64 = 0
    private var lastPicture: Int64?

    /// - Parameters:
    ///   - decoder: nil: packets are handed over as they came.
    ///   - picturesMoveBack: a picture can follow upon the one before sooner than it was taken behind it.
    ///   - waitsForMissing: for a recording, which has time.
    init(decoder: (any AudioDecoder)?, picturesMoveBack: Bool = true, waitsForMissing: Bool = false) {
        self.decoder = decoder
        playout.waitsForMissing = waitsForMissing
        zero = SteadyOffset(picturesMoveBack: picturesMoveBack)
    }

    var statistics: PlayoutStatistics { playout.settled }

    /// When there may be something to take; nil before the first packet.
    func nextLook(after now: Instant) -> Instant? { playout.nextLook(after: now) }

    /// How much longer sound is held back than the network asks for.
    var holdBack: Duration {
        get { playout.holdBack }
        set { playout.holdBack = newValue }
    }

    /// A moment of the sharer's, and when its sound would be heard were it not held back; nil before both are known.
    var planned: LipSync.Presentation? {
        guard let clock, let at = playout.planned(clock.timestamp) else { return nil }
        return LipSync.Presentation(captured: clock.captured, at: at + Self.decoderDelay)
    }

    /// Pictures move by less than this at a time, a quarter of a second; what goes back further has begun anew.
    private static let longestStep = MediaTime.ticksPerSecond / 4

    /// The first sender reports are out after 3.75 s (RFC 3550 § 6.2, § 6.3.1: half of five seconds, times 1.5 at most).
    private static let longestUntold = Duration.seconds(5)

    /// Two sender reports are 7.5 s apart at most (ibid.: five seconds, times 1.5), and half a second is for the way.
    private static let longestUnreported = Duration.seconds(8)

    /// In ticks of 1/48000 s: where sound is off by less than a second, the playout takes that for a delay.
    private static let leastLeap: UInt64 = 48_000

    private static let decoderDelay = AudioTime(ticks: Int64(AudioPiece.decoderDelay)).elapsed

    /// The sharer began anew.
    mutating func restart() {
        playout.restart()
        clock = nil
        picture = nil
        shown = nil
        untoldSince = nil
        zero = SteadyOffset(picturesMoveBack: zero.picturesMoveBack)
        doubted = nil
        shift = 0
        lastPicture = nil
    }

    /// A picture's time in a file, in step with the sound.
    mutating func inStep(_ time: MediaTime) -> MediaTime {
        if let wanted = zero.takeShift() {
            shift += wanted * MediaTime.ticksPerSecond / AudioTime.ticksPerSecond
        }
        var ticks = time.ticks.addingSaturating(shift)
        if let last = lastPicture, ticks <= last, last.subtractingSaturating(ticks) < Self.longestStep {
            ticks = last.addingSaturating(1)
        }
        lastPicture = ticks
        return MediaTime(ticks: ticks)
    }

    mutating func receive(_ packet: ReceivedAudio) {
        let restarts = playout.statistics.restarts
        if packet.beginsAnew {
            playout.restart()
            clock = nil
        }
        playout.receive(
            packet.bytes, copies: packet.copies, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
            at: packet.receivedAt)
        if playout.statistics.restarts > restarts { doubt(at: packet.receivedAt) }
        guard let captured = packet.capturedAt else { return }
        if let picture {
            let time = picture.time + captured.duration(since: picture.captured).inSeconds
            let measured = packet.timestamp.subtractingSaturating(Int64((time * 48_000).rounded()))
            // Told by the report of before, until another must have come: then the way alone has changed.
            if let doubted, isDoubted(measured), packet.receivedAt - doubted.since < Self.longestUnreported { return }
            doubted = nil
            zero.note(measured, at: packet.receivedAt)
        }
        clock = (packet.timestamp, captured)
    }

    /// The sound's timestamps stood still or leapt. A recording waits for what tells where it belongs now: by the old clock
    /// it may lie within silence that is written already, and would be left out until the next report.
    private mutating func doubt(at now: Instant) {
        doubted?.since = now
        guard playout.waitsForMissing, let value = zero.value else { return }
        doubted = (value, now)
        clock = nil
        untoldSince = nil
        zero = SteadyOffset(picturesMoveBack: zero.picturesMoveBack)
    }

    private func isDoubted(_ zero: Int64) -> Bool {
        doubted.map { zero.subtractingSaturating($0.zero).magnitude <= Self.leastLeap } ?? false
    }

    /// A picture tells which moment of the sharer's is where in the file.
    ///
    /// - Parameter timestamp: in ticks of 1/90000 s.
    mutating func see(captured: NTPTimestamp?, timestamp: Int64, shownAt: Instant) {
        let time = Double(timestamp) / Double(MediaTime.ticksPerSecond)
        shown = (time, shownAt)
        if let captured { picture = (time, captured) }
    }

    /// The next piece that is due; nil where none is yet.
    ///
    /// - Returns: also when its first sound was heard at the sharer's, on that one's wall clock, and will be here.
    mutating func next(at now: Instant) -> (piece: AudioPiece, heard: LipSync.Presentation?)? {
        zero.advance(to: now)
        playout.silenceEnd = silenceEnd
        guard let output = playout.pull(at: now) else { return nil }
        assumePlace(of: output.timestamp, due: output.due, at: now)
        var opus: [UInt8]?
        switch output.sound {
        case .packet(let bytes): opus = bytes
        case .silence: zero.rest()
        case .recover, .conceal: break
        }
        let piece = AudioPiece(
            opus: opus, samples: decoded(output), timestamp: place(output.timestamp),
            position: output.timestamp, frames: output.frames,
            playAt: SystemClock.continuous(output.due), isInserted: output.isInserted)
        let captured = captured(output.timestamp)
        return (piece, captured.map { LipSync.Presentation(captured: $0, at: output.due + Self.decoderDelay) })
    }

    /// Silence in a recording goes as far as the pictures do: of a sharer that is away as a whole nobody knows yet whether its
    /// clocks stand still. A listener in real time has silence for as long as nothing comes: players wait for sound.
    private var silenceEnd: Int64? {
        guard playout.waitsForMissing, let shown, let value = zero.value else { return nil }
        return value.addingSaturating(Int64((shown.time * 48_000).rounded()))
    }

    /// What has come and is not due yet, for the end of a recording. Where earlier sound still waits for its place, an empty
    /// piece tells it first: nothing else may be left.
    mutating func rest() -> [AudioPiece] {
        var pieces: [AudioPiece] = []
        let wasKnown = zero.value != nil
        // Nothing will tell any more.
        if let next = playout.next, let due = playout.nextDue { assumePlace(of: next, due: due, at: due, isLast: true) }
        zero.settle()
        if !wasKnown, zero.value != nil, let next = playout.next, let due = playout.nextDue {
            pieces.append(
                AudioPiece(
                    opus: nil, samples: [], timestamp: place(next), position: next, frames: 0,
                    playAt: SystemClock.continuous(due), isInserted: false))
        }
        while !playout.isEmpty, let due = playout.due {
            // Behind a silence it may turn out to be due later.
            if let next = next(at: due) { pieces.append(next.piece) } else if playout.due == due { break }
        }
        return pieces
    }

    /// Where it is never told how the clocks go together, as by a server that forwards no sender reports, sound belongs to
    /// the pictures that are shown while it is heard.
    private mutating func assumePlace(of timestamp: Int64, due: Instant, at now: Instant, isLast: Bool = false) {
        guard zero.value == nil, clock == nil || picture == nil, let shown else { return }
        let time = shown.time + (due + Self.decoderDelay - shown.at).inSeconds
        let assumed = timestamp.subtractingSaturating(Int64((time * 48_000).rounded()))
        // The pictures' clock stood still or leapt as the sound's did.
        if let old = doubted, isDoubted(assumed) {
            doubted = nil
            zero.note(old.zero, at: now)
            return zero.settle()
        }
        let since = untoldSince ?? now
        untoldSince = since
        guard isLast || now - since >= Self.longestUntold else { return }
        zero.note(assumed, at: now)
    }

    /// What can't be decoded is guessed, and what can't be guessed is silence.
    private func decoded(_ output: PlayoutOutput) -> [Float] {
        guard let decoder else { return [] }
        // A recording leaves it out, and what is decoded behind a guess goes on from that.
        if output.isInserted, playout.waitsForMissing { return silence(output) }
        do throws(CodecError) {
            switch output.sound {
            case .packet(let bytes): return try decoder.decode(bytes)
            case .recover(let next): return try decoder.recover(from: next, frames: output.frames)
            case .conceal: return try decoder.conceal(frames: output.frames)
            case .silence: return silence(output)
            }
        } catch {
            return (try? decoder.conceal(frames: output.frames)) ?? silence(output)
        }
    }

    private func silence(_ output: PlayoutOutput) -> [Float] { [Float](repeating: 0, count: 2 * output.frames) }

    private func captured(_ timestamp: Int64) -> NTPTimestamp? {
        clock.map { clock in
            let ticks = timestamp.subtractingSaturating(clock.timestamp)
            return clock.captured.advanced(by: .seconds(Double(ticks) / Double(AudioTime.ticksPerSecond)))
        }
    }

    private func place(_ timestamp: Int64) -> Int64? {
        zero.value.map { timestamp.subtractingSaturating($0) }
    }
}
