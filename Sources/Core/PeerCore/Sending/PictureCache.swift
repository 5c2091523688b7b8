import RTP
import Timebase

/// A lane's last keyframe and what followed: a viewer who joins, comes from another lane, or has lost the chain of
/// references, is served from here, and the encoder and the other viewers do not notice.
///
/// As long as that costs about what a new keyframe would. Beyond that it is for who begins beside others, on whom a new
/// one would be forced as well; and else only the keyframe is of use, as something to look at until there is another.
package struct PictureCache: Sendable {
    private var kept: [PacketizedUnit] = []
    private var keyframe: PacketizedUnit?
    private var keyframeBytes: Int { keyframe?.bytes.count ?? 0 }
    private var deltaBytes = 0
    /// Of the lane's newest unit, whatever it was: where a still screen's time has come to.
    package private(set) var newest = (mediaTime: MediaTime(ticks: 0), capturedAt: Instant.zero)

    package init() {}

    /// In the order in which the encoder made them.
    package mutating func add(_ unit: PacketizedUnit) {
        newest = (unit.mediaTime, unit.capturedAt)
        if unit.isKeyframe {
            kept = [unit]
            keyframe = unit
            deltaBytes = 0
            return
        }
        // What nothing refers to shows nothing that the picture before it did not.
        guard !kept.isEmpty, unit.isReference else { return }
        deltaBytes += unit.bytes.count
        let most = keyframeBytes * Limits.cachedKeyframes
        guard deltaBytes <= most, kept.count <= Limits.cachedDeltas else { return kept = [] }
        kept.append(unit)
    }

    /// Nothing of what was is given out any more.
    package mutating func forget() {
        kept = []
        keyframe = nil
    }

    /// From the keyframe on; nil where a new one is to be made.
    package var units: [PacketizedUnit]? { isCheap ? chain : nil }
    /// The same where it costs more than a new one; nil where it is more than anybody begins with.
    package var chain: [PacketizedUnit]? { kept.isEmpty ? nil : kept }
    package var bytes: Int { keyframeBytes + deltaBytes }
    private var isCheap: Bool { deltaBytes <= keyframeBytes }

    /// What the pictures behind the keyframe take, in bits per second.
    package var bitsPerSecond: Double {
        guard let keyframe, newest.capturedAt > keyframe.capturedAt else { return 0 }
        return Double(deltaBytes * 8) / (newest.capturedAt - keyframe.capturedAt).inSeconds
    }

    /// The keyframe alone, dated like the lane's newest unit: for who has nothing to look at and waits for another. What
    /// follows it can't be decoded.
    ///
    /// - Parameter path: what the joiner's path takes, in bits per second.
    /// - Returns: nil where the next keyframe may be there before a copy of this one.
    package func preview(over path: Int, at now: Instant) -> PacketizedUnit? {
        guard let keyframe else { return nil }
        let arrival = now + .seconds(Double(keyframeBytes * 8) / Double(max(1, path)))
        guard arrival - keyframe.capturedAt < keyframe.keyframeInterval else { return nil }
        return keyframe.retimed(newest.mediaTime, capturedAt: newest.capturedAt)
    }
}
