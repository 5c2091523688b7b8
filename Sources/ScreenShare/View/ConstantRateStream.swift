import RTP
import Timebase

/// Turns access units, with pauses between them, into an Annex B stream of constant frame rate.
///
/// Where the sharer sent nothing because nothing changed, the last picture is repeated by all-skip slices; the VUI of
/// every SPS carries the timing. So ten seconds of sharing play for ten seconds.
struct ConstantRateStream: Sendable {
    /// Bytes to write, in order, and what they hold.
    struct Piece: Sendable {
        var bytes: [UInt8] = []
        var pictures = 0
        var repeated = 0
        /// Bytes of each repeat; they stand in front of the picture.
        var repeatSize = 0
    }

    /// Non-reference units up to this size are all-skip slices themselves: they show what the last reference shows.
    private static let skipUnitBytes = 64
    /// A stream without timing in its VUI is written at this rate: browsers write none, and share up to 60 pictures a
    /// second where a page asks for that. Each takes a slot of its own, so that with fewer slots they would play slower;
    /// with more some are repeats.
    private static let fallbackRate = FrameRate(60)
    /// Repeats in one piece: four hours and a half at 30 fps, of some 30 bytes each. What is left of a longer gap comes
    /// before the next units; until then `position` is short of it.
    private static let longestGap: Int64 = 500_000
    /// Pictures within a millisecond have been pressed together for a joiner, and what follows stays behind them.
    private static let pressedTicks: ClosedRange<Int64> = 0...90
    /// What a file can be played at; others are a time base at best. With larger numbers nothing could be counted.
    private static let playableRates = 1.0...240
    private static let largestNumerator: Int64 = 1 << 22
    /// Media time that goes back by more has wrapped unseen, or begun anew; so has what goes ahead of the clock by more,
    /// from one picture to the next or little by little.
    private static let largestStep: Int64 = 10 * 90_000

    private var repeater = PictureRepeater()
    private var rate: FrameRate?
    /// Slot 0 of the present segment in media time, and what slot it is of the whole file.
    private var base: (mediaTime: MediaTime, slot: Int64)?
    /// The highest of the present segment, and when the latest picture came.
    private var newest: (ticks: Int64, receivedAt: Instant) = (.min, .zero)
    /// The latest of all.
    private var latest: Int64 = 0
    private var lastSlot: Int64 = -1
    private var started: Instant?
    private let longestStill: Duration?
    private let staysAhead: Bool

    /// - Parameters:
    ///   - longestStill: how much of a gap is filled at most; nil: all of it.
    ///   - staysAhead: sound goes by where the file is, and would be cut if stills were left out for it to come back to the
    ///     clock; else it does so, and whoever looks on is late no longer than that.
    init(longestStill: Duration? = nil, staysAhead: Bool = true) {
        self.longestStill = longestStill
        self.staysAhead = staysAhead
    }

    /// The stream begins anew (the sharer restarted): media time has no relation to what was before.
    mutating func beginSegment() {
        base = nil
    }

    /// A decodable unit. The first of a segment must be a keyframe.
    mutating func append(_ unit: AccessUnit, mediaTime: MediaTime, receivedAt: Instant) -> Piece {
        var piece = Piece()
        var bytes: [UInt8] = []
        for nalUnit in unit.nalUnits { append(Array(unit.bytes[nalUnit]), to: &bytes) }
        let beginsSegment = base == nil
        let slot = slot(of: mediaTime, receivedAt: receivedAt)
        fill(upTo: slot, into: &piece)
        // What filled the time between the segments still belonged to the one before.
        if beginsSegment { repeater.reset() }
        piece.bytes += bytes
        piece.pictures += 1
        // Where not all of the time before could be filled, the rest of it is filled behind this.
        lastSlot += 1
        let step = mediaTime.ticks.subtractingSaturating(latest)
        if staysAhead, !beginsSegment, Self.pressedTicks.contains(step), lastSlot > slot { base?.slot += lastSlot - slot }
        latest = mediaTime.ticks
        observe(unit)
        return piece
    }

    /// How long each picture of the file stands, in ticks of 1/90000 s.
    var ticksPerSlot: Int64 {
        let rate = rate ?? Self.fallbackRate
        return MediaTime.ticksPerSecond * rate.denominator / rate.numerator
    }

    /// When the last picture is shown, in ticks of 1/90000 s since the file's beginning.
    var position: Int64 {
        // As whole numbers, what a long file and an odd rate multiply to has no room.
        let seconds = Double(max(0, lastSlot)) / (rate ?? Self.fallbackRate).framesPerSecond
        return Int64((seconds * Double(MediaTime.ticksPerSecond)).rounded())
    }

    /// Repeats the last picture until this moment, for the end of a recording.
    mutating func finish(at now: Instant) -> Piece {
        var piece = Piece()
        guard let started, let rate else { return piece }
        let most = longestStill.map { Self.slots($0, rate) } ?? .max
        fill(upTo: Self.slots(now - started, rate), atMost: most, into: &piece)
        return piece
    }

    // MARK: Slots

    /// The file's slot of a unit, which is where the rest of its segment goes on from if less than all of a gap is filled.
    private mutating func slot(of mediaTime: MediaTime, receivedAt: Instant) -> Int64 {
        let rate = rate ?? Self.fallbackRate
        let whole = wholeSlot(of: mediaTime, receivedAt: receivedAt, rate)
        newest = (max(newest.ticks, mediaTime.ticks), receivedAt)
        guard let longestStill, lastSlot >= 0 else { return whole }
        let slot = min(whole, lastSlot + 1 + Self.slots(longestStill, rate))
        if slot < whole { base = (mediaTime, slot) }
        return slot
    }

    /// Media time counts within a segment, the clock between segments.
    private mutating func wholeSlot(of mediaTime: MediaTime, receivedAt: Instant, _ rate: FrameRate) -> Int64 {
        if started == nil { started = receivedAt }
        let byClock = started.map { Self.slots(receivedAt - $0, rate) } ?? 0
        let most = byClock + Self.slots(Self.largestStep, rate)
        if let base, follows(mediaTime, receivedAt: receivedAt) {
            let slot = base.slot + Self.slots(mediaTime.ticks - base.mediaTime.ticks, rate)
            // Steps that are each allowed must not add up: a few bytes a picture would fill a disk with stills.
            if slot <= most { return slot }
        }
        let slot = max(lastSlot + 1, byClock)
        base = (mediaTime, slot)
        newest.ticks = mediaTime.ticks
        return slot
    }

    private func follows(_ mediaTime: MediaTime, receivedAt: Instant) -> Bool {
        let step = mediaTime.ticks.subtractingSaturating(newest.ticks)
        return step >= -Self.largestStep
            && step.subtractingSaturating(MediaTime(elapsed: receivedAt - newest.receivedAt).ticks) <= Self.largestStep
    }

    private static func slots(_ ticks: Int64, _ rate: FrameRate) -> Int64 {
        let perSlot = MediaTime.ticksPerSecond * rate.denominator
        return (max(0, min(ticks, 1 << 40)) * rate.numerator + perSlot / 2) / perSlot
    }

    private static func slots(_ elapsed: Duration, _ rate: FrameRate) -> Int64 {
        Int64((elapsed.inSeconds * rate.framesPerSecond).rounded())
    }

    private mutating func fill(upTo slot: Int64, atMost most: Int64 = Self.longestGap, into piece: inout Piece) {
        let missing = min(slot - lastSlot - 1, most)
        guard missing > 0, lastSlot >= 0, let unit = try? repeater.makeUnit() else { return }
        let before = piece.bytes.count
        for _ in 0..<missing { AnnexB.append(unit.bytes, nalUnits: unit.nalUnits, to: &piece.bytes) }
        piece.repeated += Int(missing)
        piece.repeatSize = (piece.bytes.count - before) / Int(missing)
        lastSlot += missing
    }

    // MARK: Syntax

    private mutating func append(_ nalUnit: [UInt8], to bytes: inout [UInt8]) {
        let isParameterSet = nalUnit.first.map(NALUnitType.init(header:)) == .sequenceParameterSet
        let written = isParameterSet ? timed(nalUnit) : nalUnit
        AnnexB.append(written, nalUnits: [written.indices], to: &bytes)
    }

    /// The SPS with the file's timing; as it came where it cannot be read.
    private mutating func timed(_ nalUnit: [UInt8]) -> [UInt8] {
        let own = (try? SequenceParameterSet(nalUnit, nalUnit: nalUnit.indices))?.timing
        let rate = self.rate ?? own?.frameRate.flatMap(Self.playable) ?? Self.fallbackRate
        self.rate = rate
        guard let timing = VideoTiming(rate), timing != own else { return nalUnit }
        return (try? SequenceParameterSet.settingTiming(timing, in: nalUnit)) ?? nalUnit
    }

    private static func playable(_ rate: FrameRate) -> FrameRate? {
        playableRates.contains(rate.framesPerSecond) && rate.numerator <= largestNumerator ? rate : nil
    }

    private mutating func observe(_ unit: AccessUnit) {
        let isReference = unit.nalUnits.contains {
            unit.type(of: $0).isPicture && unit.bytes[$0.lowerBound] & 0x60 != 0
        }
        guard isReference || unit.bytes.count > Self.skipUnitBytes else { return }
        try? repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
    }
}
