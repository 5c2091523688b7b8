import Timebase

/// One source of sound on its way to the packets: blocks as the device gives them in, an even 48 kHz stereo stream out.
///
///     receive ─► CaptureClock ─► Resampler ─► SampleQueue ─► QueueReader ─► read
///                when was it      bent by      frames by      fades where it
///                heard, really    the drift    number         runs dry
///
/// Three scales, all in ticks of 1/48000 s since the pacer's start: *capture time* (when a frame was heard), *stream
/// time* (of a packet: when it leaves), and the *index* of a frame in the queue. Stream time is capture time plus the
/// hold-back: as much as blocks need to be there when their packet leaves, and no more. It grows where a larger block
/// or a later one comes, and shrinks by playing up to 0.4 % faster, or at once where there is silence. A device that
/// pauses leaves silence of that length, so that everything keeps its place on the wall clock.
///
/// Used by one thread.
package struct AudioInput {
    /// How what is converted next joins what is there.
    private enum Join {
        case follows
        /// It follows, out of another resampler, which may begin with silence of its own.
        case resampledAnew
        /// It has a place of its own.
        case anew
    }

    private let start: Instant
    private let packetFrames: Int
    private let makeResampler: (AudioFormat) -> any Resampler
    private var conversion: Conversion?
    private var clock = CaptureClock()
    /// How old first frames are when they come out of the resampler.
    private var ages = RecentMaximum(span: AudioLimits.burstMemory)
    /// When the device has settled: what waited while it was opened says nothing of how it goes on.
    private var settledAt: Instant?
    /// Of the last block's first frame, when it came.
    private var lastAge = 0.0
    private var queue = SampleQueue()
    private var marks = CaptureMarks()
    private var reader = QueueReader()
    private var fadeIn = FadeIn()
    private var holdBack = HoldBack()
    /// How far the queue's end is behind where it belongs.
    private var lag = 0.0
    private var speed = 1.0
    /// Behind the last frame that was received, in capture time.
    private var captureEnd = 0.0
    private var join = Join.anew
    /// Stream time behind the last packet read.
    private var position: Int64 = 0
    /// When that was due.
    private var lastRead: Double?
    private var converted: [Float] = []
    /// The last block's, for what comes behind its end.
    private var lastSamples: [Float] = []
    /// Ticks that sound is to be held back at least: what another source needs that is to stay in step.
    var leastHoldBack = 0.0
    private var blocksRefused = 0
    private var jumps = 0

    /// - Parameters:
    ///   - start: stream time zero.
    ///   - makeResampler: from the given format to 48 kHz with as many channels.
    package init(start: Instant, packetFrames: Int, makeResampler: @escaping (AudioFormat) -> any Resampler) {
        self.start = start
        self.packetFrames = packetFrames
        self.makeResampler = makeResampler
    }

    /// What was played of another last falls to nothing here; what it has beyond that is not heard.
    mutating func comes(after other: AudioInput) { reader.comes(after: other.reader, of: other.queue) }

    package var statistics: AudioInputStatistics {
        AudioInputStatistics(
            gaps: reader.gaps, jumps: jumps, blocksRefused: blocksRefused, delay: delay,
            wait: delay - Duration(audioTicks: lastAge), drift: clock.drift)
    }

    /// From when sound is heard by the device until the packet that begins with it leaves.
    package var delay: Duration { Duration(audioTicks: holdBack.ticks) }

    /// Ticks that sound must be held back by, so that nothing runs dry; nil where no block came for a while.
    mutating func neededHoldBack(at now: Instant) -> Double? {
        ages.value(at: now).map { $0 + Double(packetFrames) + AudioLimits.margin }
    }

    // MARK: In

    /// Takes what the device gave. Mono or stereo; what has more channels goes through a channel map before.
    ///
    /// - Parameter mayHaveWaited: for a thread that stood still, which is not for the device to make up for.
    package mutating func receive(_ block: AudioBlock, mayHaveWaited: Bool = false, at now: Instant) {
        guard AudioLimits.allow(block) else { return blocksRefused += 1 }
        let (conversion, isEmpty) = self.conversion(for: block.format)
        let duration = Double(block.frameCount) * 48_000 / Double(block.format.sampleRate)
        let heard = clock.follow(ticks(block.plausibleCapture(at: now)), duration: duration)
        if heard.isJump { interrupt(conversion) }
        let age = age(of: block, heardUntil: heard.end, at: now)
        if !mayHaveWaited { settle(at: now) }
        let needed = max(age, heard.isJump ? 0 : lack) + lateInQueue + conversion.longestDelay
        let known = mayHaveWaited ? ages.value(at: now) : nil
        ages.note(min(needed, known ?? needed), at: now)
        lastAge = age
        holdBack.target = max(neededHoldBack(at: now) ?? 0, leastHoldBack)
        if !reader.isPlaying { moveToTarget() }
        speed = holdBack.speed(over: duration, drift: clock.drift, lag: lag)
        var mirrored: Double?
        if isEmpty {
            mirrored = convertFirst(block.samples, of: duration, conversion)
        } else {
            convert(block.samples, conversion)
        }
        write(conversion, leavingOut: mirrored, heardUntil: heard.end - conversion.delay)
        captureEnd = heard.end
        lastSamples = block.samples
    }

    /// How old a frame may be before it is here. Of what is read as it comes the first frame is the oldest. What is read
    /// later ends with a frame that is as old as it gets just before the next piece, and a piece's length at least.
    private func age(of block: AudioBlock, heardUntil end: Double, at now: Instant) -> Double {
        let ticks = 48_000 / Double(block.format.sampleRate)
        let sinceEnd = self.ticks(now) - end
        let age = block.longestPiece.map { max(sinceEnd, Double(min($0, block.frameCount)) * ticks) }
            ?? sinceEnd + Double(block.frameCount) * ticks
        return max(0, min(age, AudioLimits.oldestFrame.audioTicks))
    }

    /// How much older the last frame was when the last packet was read: what is read then only may come in longer pieces
    /// than it says.
    private var lack: Double {
        guard join == .follows, let lastRead else { return 0 }
        return max(0, min(lastRead - captureEnd, AudioLimits.oldestFrame.audioTicks))
    }

    /// By how much frames come to lie later in the queue than their stamps say, beyond what the margin covers.
    private var lateInQueue: Double { join == .anew ? 0 : max(0, lag - AudioLimits.steadyLag) }

    private mutating func settle(at now: Instant) {
        guard let settledAt else { return self.settledAt = now + AudioLimits.settlingTime }
        guard now >= settledAt, settledAt != .zero else { return }
        self.settledAt = .zero
        ages = RecentMaximum(span: AudioLimits.burstMemory)
    }

    /// - Returns: also whether its filter is empty in the middle of the sound, because the format has changed.
    private mutating func conversion(for format: AudioFormat) -> (Conversion, isEmpty: Bool) {
        if let conversion, conversion.format == format { return (conversion, isEmpty: false) }
        let isAmidSound = join == .follows
        if let conversion, isAmidSound {
            flush(conversion)
            join = .resampledAnew
        }
        let next = Conversion(format: format, resampler: makeResampler(format))
        conversion = next
        return (next, isEmpty: isAmidSound)
    }

    /// The run ends here: what is still in the resampler comes out, and what follows finds its own place.
    private mutating func interrupt(_ conversion: Conversion) {
        jumps += 1
        // Stamps of before may have been false: what they said of the delay is forgotten.
        ages = RecentMaximum(span: AudioLimits.burstMemory)
        // A device that was opened again has to settle again.
        settledAt = nil
        if join == .follows { flush(conversion) }
        // What was resampled before a change of format has come out already.
        if join != .anew { fallSilent() }
        join = .anew
        fadeIn.begin()
    }

    /// Behind the end the last samples follow once more in reverse: a filter that met silence there would ring.
    private mutating func flush(_ conversion: Conversion) {
        convert(lastSamples.mirrored(suffix: conversion.framesOfDelay, channels: conversion.channels), conversion)
        let excess = converted.count - Int(conversion.delay.rounded()) * conversion.channels
        if excess > 0 { converted.removeLast(excess) }
        // What it held may have begun a moment ago.
        fadeIn.apply(to: &converted, from: 0, channels: conversion.channels)
        queue.append(converted, from: 0, channels: conversion.channels)
        marks.add(index: queue.end, captured: captureEnd)
    }

    /// Converts the first block through an empty filter. One that begins in silence would ring: the block's beginning goes
    /// in before it, in reverse.
    ///
    /// - Returns: how many ticks of that came out, where it is known exactly.
    private mutating func convertFirst(_ samples: [Float], of duration: Double, _ conversion: Conversion) -> Double? {
        let before = samples.mirrored(prefix: conversion.framesOfDelay, channels: conversion.channels)
        convert(before + samples, conversion)
        let ticks = duration * Double(before.count) / Double(samples.count)
        return cameWhole(ticks + duration, conversion) ? ticks : nil
    }

    private mutating func convert(_ samples: [Float], _ conversion: Conversion) {
        converted.removeAll(keepingCapacity: true)
        conversion.resampler.process(samples, speed: speed, into: &converted)
    }

    /// In silence the hold-back may become what it has to be at once, but nothing that waits is passed over.
    private mutating func moveToTarget() {
        let first = max(reader.next, queue.start)
        let spare = first < queue.end ? max(0, first + holdBack.shift - position) : .max
        holdBack.move(by: max(-Int64(holdBack.excess.rounded()), -spare))
    }

    // MARK: The queue

    /// Whether the first that came out of a new resampler is the first of so many ticks that went in. There are some that
    /// begin with silence.
    private func cameWhole(_ ticks: Double, _ conversion: Conversion) -> Bool {
        let came = Double(converted.count / conversion.channels) * speed / (1 + clock.drift)
        return abs(came + conversion.delay - ticks) < AudioLimits.framesUnsure
    }

    /// Appends what was converted: frames heard until `end`, which is known to a frame.
    ///
    /// - Parameter mirrored: what it begins with that only filled a filter, where that is known exactly; in ticks.
    private mutating func write(_ conversion: Conversion, leavingOut mirrored: Double?, heardUntil end: Double) {
        let channels = conversion.channels
        let frames = converted.count / channels
        guard frames > 0 else { return }
        let ideal = holdBack.index(of: end)
        let slope = speed / (1 + clock.drift)
        let skipped: Int
        switch join {
        case .follows: skipped = 0
        case .resampledAnew:
            skipped = Self.frames(mirrored ?? overlap(from: end - Double(frames) * slope))
        case .anew: skipped = Self.frames(makeRoom(until: ideal - Double(frames)))
        }
        guard skipped < frames else { return }
        if join != .follows {
            marks.add(index: queue.end, captured: end - Double(frames - skipped) * slope)
            join = .follows
        }
        fadeIn.apply(to: &converted, from: skipped, channels: channels)
        queue.append(converted, from: skipped, channels: channels)
        marks.add(index: queue.end, captured: end)
        lag = ideal - Double(queue.end)
    }

    /// By how much what was heard from `start` on is in the queue already, in ticks.
    private func overlap(from start: Double) -> Double { marks.captured(at: queue.end).map { $0 - start } ?? 0 }

    private static func frames(_ ticks: Double) -> Int { max(0, Int(ticks.rounded())) }

    /// Makes the queue end at `index`, with silence; by how much it ends behind that already.
    private mutating func makeRoom(until index: Double) -> Double {
        guard !marks.isEmpty else {
            queue.restart(at: Int64(index.rounded()))
            fadeIn.begin()
            return 0
        }
        let hole = Int64((index - Double(queue.end)).rounded())
        queue.appendSilence(hole)
        return max(0, -Double(hole))
    }

    /// What the queue ends with falls to nothing, unless it has done so where it ran dry.
    private mutating func fallSilent() {
        guard reader.isPlaying || reader.next < queue.end else { return }
        let tail = queue.mirrored(before: queue.end, frames: AudioLimits.fadeFrames)
        queue.append(FadeOut.falling(tail), from: 0, channels: 2)
    }

    // MARK: Out

    /// Fills `samples` (stereo) with the packet of `time`, silence where there is nothing.
    ///
    /// - Returns: when its first frame was heard; nil where nothing of it was.
    package mutating func read(_ time: AudioTime, into samples: inout [Float]) -> Instant? {
        spliceInSilence(time.ticks - holdBack.shift, frames: samples.count / 2)
        let index = time.ticks - holdBack.shift
        let hasSound = reader.read(queue, at: index, into: &samples)
        position = time.ticks + Int64(samples.count / 2)
        lastRead = Double(time.ticks)
        let kept = max(reader.next, index) - Int64(AudioLimits.longestRepeat)
        defer {
            queue.release(before: kept)
            marks.forget(before: kept)
        }
        guard hasSound, let captured = marks.captured(at: index) else { return nil }
        return start + Duration(audioTicks: captured)
    }

    /// There was nothing in the last packet, not even the end of something.
    var isSilent: Bool { reader.isSilent }

    /// Where there is silence anyway, the delay changes by leaving some out, or by playing it again.
    private mutating func spliceInSilence(_ index: Int64, frames: Int) {
        let excess = Int64(holdBack.excess)
        guard reader.isPlaying, reader.next == index, holdBack.excess.magnitude > AudioLimits.delayTolerance
        else { return }
        let needed = Int64(frames + AudioLimits.fadeFrames)
        let wanted = max(excess, -Int64(AudioLimits.longestRepeat))
        let spare = queue.silence(from: index + min(0, wanted)) + min(0, wanted) - needed
        let change = min(wanted, spare)
        guard spare >= 0, change != 0 else { return }
        reader.splice(queue, by: change)
        holdBack.move(by: -change)
    }

    private func ticks(_ instant: Instant) -> Double { (instant - start).audioTicks }
}

/// A resampler, with what it was made for.
private struct Conversion {
    let format: AudioFormat
    let resampler: any Resampler
    /// In ticks of 1/48000 s; it never changes.
    let longestDelay: Double

    init(format: AudioFormat, resampler: any Resampler) {
        self.format = format
        self.resampler = resampler
        longestDelay = max(0, resampler.longestDelay.inSeconds) * 48_000
    }

    var channels: Int { format.channels }
    /// In ticks of 1/48000 s.
    var delay: Double { max(0, resampler.delay.inSeconds) * 48_000 }
    /// Enough to fill it, or to push out what it holds.
    var framesOfDelay: Int {
        min(Int(max(0, resampler.longestDelay.inSeconds) * Double(format.sampleRate)) + 1, format.sampleRate)
    }
}

extension [Float] {
    /// The first frames of interleaved samples in reverse; fewer where there are fewer.
    fileprivate func mirrored(prefix count: Int, channels: Int) -> [Float] {
        let frames = Swift.min(count, self.count / channels)
        return (0..<frames).reversed().flatMap { self[($0 * channels)..<(($0 + 1) * channels)] }
    }

    /// The last frames in reverse.
    fileprivate func mirrored(suffix count: Int, channels: Int) -> [Float] {
        let frames = self.count / channels
        return (Swift.max(0, frames - count)..<frames).reversed().flatMap {
            self[($0 * channels)..<(($0 + 1) * channels)]
        }
    }
}

extension AudioLimits {
    /// Whether the block can be worked with.
    static func allow(_ block: AudioBlock) -> Bool {
        guard sampleRates.contains(block.format.sampleRate), channels.contains(block.format.channels),
            block.samples.count % block.format.channels == 0
        else { return false }
        return block.frameCount > 0 && block.format.duration(frames: block.frameCount) <= longestBlock
    }
}
