import Media
import PeerCore
import PixelConversion
import Timebase

/// What becomes of the pictures on the rungs of slow viewers.
extension VideoPipeline {
    private var isPlaying: Bool {
        commands.mode.showsFilm(watch?.content, isRateFixed: commands.fixedRate != nil)
    }

    /// What plays may become smaller; where that is not looked for, what moves: a page at rest is to be seen whole.
    private func mayShrink(at now: Instant) -> Bool {
        isPlaying && (watch?.content == .video || motion.isMoving(at: now))
    }

    /// The size that a lane's encoder works at. That of the share itself changes only where the bits are too few for long,
    /// and never where its owner wants exactly this one.
    func shaped(_ size: PixelSize, _ key: LaneKey, at now: Instant) -> PixelSize {
        if key.rung == 0, case .exactly = commands.size { return size }
        return shapes[key, default: RungShape(isOwn: key.rung == 0)].size(
            of: size, bitsPerSecond: target(of: key).bitsPerSecond, isPlaying: mayShrink(at: now), at: now)
    }

    /// One rung's trouble is no other's: where its viewers are all behind, it waits.
    func isHeldBack(_ key: LaneKey, news: Bool = false) -> Bool {
        commands.lanes.count > 1 && isCongested(key.rung, news)
    }

    /// It waits as well where its bits are too few for so many pictures, or the processor has no time for them; but not with
    /// a keyframe, without which there are none.
    func mayEncode(_ key: LaneKey, _ size: PixelSize, isNew: Bool = false, at now: Instant) -> Bool {
        if isHeldBack(key, news: isNew) { return false }
        guard key.rung > 0 else { return true }
        let bitsPerSecond = target(of: key).bitsPerSecond
        let isDue = shapes[key]?.isDue(size, bitsPerSecond: bitsPerSecond, isPlaying: isPlaying, at: now) ?? true
        let hasTime = !isNew || effortBelow.hasTurn(key.rung, period: adapter.frameRate.period, at: now)
        guard isDue && hasTime || lanes[key]?.gate.isDue(at: now) == true else { return false }
        shapes[key]?.made(at: now)
        return true
    }

    /// Slower viewers may lack what the others have, or have it less sharp: their turn comes when these rest.
    func noteDebt() { adapter.owesSlower = commands.lanes.contains(where: isOwed) }
    private func isOwed(_ key: LaneKey) -> Bool { key.rung > 0 && lanes[key]?.wantsTurn == true }

    func catchUp(_ time: MediaTime, at now: Instant) throws(ShareError) {
        holdUntold()
        for key in commands.lanes where isOwed(key) { _ = try catchUp(key, time, at: now) }
        noteDebt()
    }

    /// What waited while the others' picture became sharp has its turn when these rest.
    ///
    /// - Returns: false where there is nothing to make up for.
    func catchUp(_ key: LaneKey, _ time: MediaTime, at now: Instant) throws(ShareError) -> Bool {
        guard let lane = lanes[key], key.rung > 0 ? lane.isUnfinished : lane.isBehind, let picture = converter?.picture,
            mayEncode(key, lane.size, at: now)
        else { return false }
        do throws(CodecError) {
            let unit = try lane.encode(
                picture, damage: .nothing, mediaTime: time, capturedAt: now, target: target(of: key), at: now)
            guard let unit else { return false }
            hand(unit, key)
        } catch {
            throw error.shareError
        }
        return true
    }
}
