import Media
import PeerCore
import PixelConversion
import SystemClock
import Timebase

/// What becomes of the pictures on the rungs of slow viewers.
extension MediaLine {
    private var isPlaying: Bool {
        switch commands.mode {
        case .motion: true
        case .detail: false
        case .auto: watch?.content == .video
        }
    }

    /// The size that a rung's encoder works at; that of the share is nobody's but its owner's to change.
    func shaped(_ size: PixelSize, _ key: LaneKey) -> PixelSize {
        guard key.rung > 0 else { return size }
        return shapes[key.rung, default: RungShape()].size(
            of: size, bitsPerSecond: target(of: key).bitsPerSecond, isPlaying: isPlaying, at: SystemClock.now())
    }

    /// One rung's trouble is no other's: where its viewers are behind, or its bits too few for so many pictures, it waits.
    func mayEncode(_ key: LaneKey, _ size: PixelSize, at now: Instant) -> Bool {
        if commands.lanes.count > 1, isCongested(key.rung) { return false }
        guard key.rung > 0 else { return true }
        let bitsPerSecond = target(of: key).bitsPerSecond
        guard shapes[key.rung]?.isDue(size, bitsPerSecond: bitsPerSecond, isPlaying: isPlaying, at: now) ?? true else {
            return false
        }
        shapes[key.rung]?.made(at: now)
        return true
    }

    /// A rung that waited while the others' picture became sharp has its turn when these rest.
    ///
    /// - Returns: false where there is nothing to make up for.
    func catchUp(_ key: LaneKey, _ time: MediaTime, at now: Instant) throws(ShareError) -> Bool {
        guard key.rung > 0, let lane = lanes[key], lane.isUnfinished, let picture = converter?.picture,
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
