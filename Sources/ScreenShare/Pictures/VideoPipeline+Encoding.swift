import Media
import PeerCore
import PixelConversion
import RTP
import SystemClock
import Timebase
import VideoCodec

// Encoding: a picture for each lane in its turn, and what is sent where there is none.
extension VideoPipeline {
    /// What was made of one moment, in all lanes.
    private struct Made {
        var quantiser = 0.0
        /// Of the share's own rung.
        var ownQuantiser: Double?
        /// The share's own is to be tried again.
        var isOwnHeldBack = false
        /// The source painted anew what was shown already.
        var isRepeat = false
        var hasKeyframe = false
        var isAny = false
        /// Signs of life among it.
        var isSent = false

        /// How far the passes have come: slower viewers, whose pictures are coarser, have turns of their own.
        var forPasses: Double { isOwnHeldBack ? RefinementPolicy.nothingEncoded : ownQuantiser ?? quantiser }

        mutating func note(_ lane: EncoderLane, _ key: LaneKey) {
            quantiser = max(quantiser, lane.quantiser)
            if key.rung == 0 { ownQuantiser = max(ownQuantiser ?? 0, lane.quantiser) }
        }

        /// Nothing was made for a lane: there were no bits, or nothing new was to be seen. The share's own lanes come first,
        /// and say which it is.
        mutating func noteNothing(_ lane: EncoderLane, _ key: LaneKey) {
            if lane.isBehind {
                isOwnHeldBack = isOwnHeldBack || key.rung == 0
            } else {
                isRepeat = isRepeat || key.rung == 0 || !isSent
            }
        }
    }

    func encode(damage: PixelRect, _ time: MediaTime, isNew: Bool, at now: Instant) throws(ShareError) {
        guard let picture = converter?.picture else { return }
        var made = Made()
        ownEnd = nil
        do throws(CodecError) {
            for key in commands.inTurn {
                if key.rung > 0 { ownEnd = ownEnd ?? SystemClock.now() }
                try encode(picture, damage, time, for: key, isNew: isNew, at: now, &made)
            }
        } catch {
            throw error.shareError
        }
        // Who comes to another lane later has not seen this.
        for (key, lane) in lanes where !commands.lanes.contains(key) { lane.hold(damage, of: picture.size) }
        if isUnsampled, commands.samplers > 0 {
            isUnsampled = false
            taps.give(picture, capturedAt: capturedAt)
        }
        // A keyframe of another lane is yet to get sharp.
        if isNew, made.isRepeat, !made.isOwnHeldBack, !made.hasKeyframe {
            adapter.repeated()
        } else {
            if isNew, !damage.isEmpty { motion.changed(at: now) }
            adapter.encoded(quantiser: made.forPasses, isNewPicture: isNew, isSent: made.isSent)
        }
        noteDebt()
        if made.hasKeyframe { adapter.keyframeMade() }
        counters.update { counters in
            counters.pictures += made.isAny ? 1 : 0
            counters.quantiser = made.ownQuantiser ?? counters.quantiser
            counters.drops = adapter.drops.values.reduce(0, +)
        }
    }

    private func encode(
        _ picture: I420Picture, _ damage: PixelRect, _ time: MediaTime, for key: LaneKey, isNew: Bool, at now: Instant,
        _ made: inout Made
    ) throws(CodecError) {
        let lane = try lane(key, picture.size, at: now)
        if damage.isEmpty, !lane.isUnfinished, !lane.gate.isDue(at: now) {
            // Sharp already: it is another lane's turn, and this one's viewers get a sign of life.
            made.note(lane, key)
            if let unit = lane.repeatLast(mediaTime: time, at: now) {
                hand(unit, key, isKeepalive: true)
                made.isSent = true
            }
            return
        }
        guard mayEncode(key, lane.size, isNew: isNew, at: now) else {
            lane.hold(damage, of: picture.size)
            // The share itself does not rest before it has been sent, and sharpened.
            if key.rung == 0, lane.isUnfinished { made.isOwnHeldBack = true }
            return
        }
        let unit = try lane.encode(
            picture, damage: damage, mediaTime: time, capturedAt: isNew ? dated(at: now) : now, target: target(of: key),
            at: now)
        // A slower rung that has no bits is no reason for all to try again.
        if unit != nil || key.rung == 0 { made.note(lane, key) }
        guard let unit else { return made.noteNothing(lane, key) }
        hand(unit, key)
        (made.isAny, made.isSent) = (true, true)
        made.hasKeyframe = made.hasKeyframe || unit.isKeyframe
    }

    /// What stood for long before somebody came to see it is of the present: its age would be taken for a delay.
    private func dated(at now: Instant) -> Instant {
        now - capturedAt > VideoPipelineLimits.oldestPicture ? now : capturedAt
    }

    /// Takes a smaller preset where pictures would be late with this one, and a larger one where there is room. What is
    /// made for slower viewers takes from their pictures alone, which become fewer where no preset is small enough. Where
    /// the source is waited for, the rest of the period is for encoding, and half of it at least: a source that takes longer
    /// is not made faster by a smaller preset.
    ///
    /// - Parameter begun: when the picture was there, or asked for where it was not waited for.
    func keepUp(since begun: Instant) {
        let (now, period) = (SystemClock.now(), adapter.frameRate.period)
        let (ahead, waiting) = work.take(begun: begun, ended: now, period: period)
        let own = ahead + ((ownEnd ?? now) - begun)
        let room = max(period - waiting, period / 2)
        let isOther = effort.spent(own, of: room, at: now)
        let isOtherBelow = keepUpBelow(own: own, waiting: waiting, of: room, at: now)
        guard isOther || isOtherBelow else { return }
        for (key, lane) in lanes { lane.set(preset(of: key)) }
        if isOther {
            counters.update { $0.preset = effort.preset }
            report(.preset(effort.preset))
        }
        if ownEnd != nil { tellOfSlower(isOwnTold: isOther) }
    }

    /// - Returns: whether slower viewers' preset is another now.
    private func keepUpBelow(own: Duration, waiting: Duration, of period: Duration, at now: Instant) -> Bool {
        guard let ownEnd else { return false }
        let before = effortBelow.oneOf
        let isOther = effortBelow.spent(own: own, slower: now - ownEnd, waiting: waiting, of: period, at: now)
        let oneOf = effortBelow.oneOf
        let text = oneOf > 1
            ? "Slower viewers get one picture of \(oneOf) now: the processor has no time for more."
            : "Slower viewers get all pictures again."
        if oneOf != before { report(.notice(text)) }
        return isOther
    }

    /// Slower viewers' preset is told when it comes to be another, where the others' that was just told is not theirs too.
    private func tellOfSlower(isOwnTold: Bool) {
        let other = presetBelow == effort.preset ? nil : presetBelow
        guard other != toldBelow else { return }
        toldBelow = other
        if other == nil, isOwnTold { return }
        report(.notice("Slower viewers' pictures are encoded with preset \(presetBelow.rawValue) now."))
    }

    private var presetBelow: X264Configuration.Preset { min(effort.preset, effortBelow.preset) }

    private func preset(of key: LaneKey) -> X264Configuration.Preset { key.rung == 0 ? effort.preset : presetBelow }

    /// Sharpness comes of leaving out pictures, up to three of four at 30 a second: a rate that was asked for would be none.
    func target(of key: LaneKey) -> SendTarget {
        SendTarget(
            bitsPerSecond: min(commands.bitsPerSecond, commands.rungRates[key.rung] ?? .max),
            frameRate: adapter.frameRate, favoursSharpness: commands.mode == .detail && commands.fixedRate == nil)
    }

    /// The lane's encoder. Another profile needs another encoder, and so waits for a keyframe that is due anyway; another
    /// level, for more bits than there might be before, asks for one.
    func lane(_ key: LaneKey, _ size: PixelSize, at now: Instant) throws(CodecError) -> EncoderLane {
        let size = shaped(size, key, at: now)
        let profile = profile(of: key, commands)
        if let lane = lanes[key] {
            let hasRoom = commands.bitsPerSecond <= lane.mostBitsPerSecond
            if !hasRoom { lane.gate.request() }
            if lane.size == size, lane.profile == profile && hasRoom || !lane.gate.isDue(at: now) { return lane }
            lanes[key] = nil
        }
        let lane = try EncoderLane(
            key, profile, commands.preset, size: size, frameRate: commands.frameRate,
            maximumBitsPerSecond: commands.bitsPerSecond)
        lane.set(preset(of: key))
        lanes[key] = lane
        counters.update { $0.lanes = lanes.count }
        return lane
    }

    func profile(of key: LaneKey, _ commands: VideoCommands) -> X264Configuration.Profile {
        commands.high.contains(key) ? .high : .constrainedBaseline
    }

    /// What was converted for a slot that is yet to come is in the picture already: who encodes that again without having
    /// been told would take it for sent.
    func holdUntold() {
        guard !unsentDamage.isEmpty, let size = converter?.picture.size else { return }
        for lane in lanes.values { lane.hold(unsentDamage, of: size) }
        unsentDamage = .nothing
    }

    func keepalive(_ time: MediaTime, at now: Instant) throws(ShareError) {
        holdUntold()
        for key in commands.lanes {
            // What rests is to be seen whole: another size is due.
            if let lane = lanes[key], let picture = converter?.picture, shaped(picture.size, key, at: now) != lane.size {
                adapter.changed(at: now)
            }
            if try catchUp(key, time, at: now) { continue }
            if let unit = lanes[key]?.repeatLast(mediaTime: time, at: now) { hand(unit, key, isKeepalive: true) }
        }
        noteDebt()
    }

    func hand(_ unit: PacketizedUnit, _ key: LaneKey, isKeepalive: Bool = false) {
        // Before, so that nobody who asks afterwards is taken for one who asked before.
        if unit.isKeyframe { lanes[key]?.gate.handedOver(at: SystemClock.now()) }
        deliver(unit, key)
        counters.update { counters in
            counters.units += 1
            counters.keepalives += isKeepalive ? 1 : 0
            counters.keyframes += unit.isKeyframe ? 1 : 0
            counters.bytes += unit.bytes.count
        }
    }
}
