import RTP
import Timebase

/// What a viewer begins with where no keyframe was made for it.
extension MediaSender {
    /// Which of the lane's pictures the viewer can be sent.
    ///
    ///     unbegun ──a keyframe──► flowing ──what waits is dropped──► awaitingKeyframe ──a keyframe──► flowing
    ///                             flowing ──it is too far behind───► stranded ──a keyframe──► flowing
    ///                                                                stranded ──one is asked for──► awaitingKeyframe
    ///
    /// A keyframe that is too large to be queued strands whoever it is for, too.
    /// Where repair has turned out to be hopeless, the viewer is stranded, whatever was before.
    enum Stage {
        /// It has had nothing, or no more than a keyframe to look at (`preview`).
        case unbegun
        /// It can be sent nothing but a keyframe, which is on its way or was asked for.
        case awaitingKeyframe
        /// It can be sent nothing but a keyframe, which nobody else will ask for.
        case stranded
        /// Each picture follows the one before.
        case flowing
    }

    /// Begins, or begins anew, with a lane's cached pictures, which are there to be decoded: their timestamps are pressed
    /// together, so that only the last is shown, and it as late as the lane's newest unit.
    mutating func begin(with cache: PictureCache, at now: Instant) {
        guard let units = cache.chain else { return }
        startAgain()
        var newest = cache.newest
        // Another lane may have shown a later moment: what is dated behind it is of that one, or sound would not fit.
        if let lastSent, lastSent.mediaTime > newest.mediaTime { newest = lastSent }
        let earliest = newest.mediaTime.ticks - Int64(units.count - 1)
        let first = max(earliest, lastSent.map { $0.mediaTime.ticks + 1 } ?? earliest)
        for (index, unit) in units.enumerated() {
            enqueue(unit.retimed(MediaTime(ticks: first + Int64(index)), capturedAt: newest.capturedAt), at: now)
        }
    }

    /// Another lane's pictures follow: what waits is of no use.
    mutating func changeLane() {
        dropUnsent()
        hasBegunLane = false
    }

    /// Its media time is behind that of the picture before. A slower rung encodes a moment after the others do: who moves to
    /// it in between has had that moment, and then gets it once more.
    func inOrder(_ unit: PacketizedUnit) -> PacketizedUnit {
        guard let before = queue.last?.unit.mediaTime ?? lastSent?.mediaTime, unit.mediaTime.ticks <= before.ticks else {
            return unit
        }
        return unit.retimed(MediaTime(ticks: before.ticks + 1), capturedAt: unit.capturedAt)
    }

    /// A keyframe to look at while another is made; nothing that refers to it follows. Only for who has had nothing: others
    /// see something newer.
    mutating func preview(_ keyframe: PacketizedUnit, at now: Instant) {
        guard lastSent == nil, queue.isEmpty else { return }
        enqueue(keyframe, at: now)
        // One that is too large was dropped.
        if stage != .stranded { stage = .unbegun }
    }

    /// Nothing of its lane's pictures has been sent, nor is about to be.
    var isNewToLane: Bool { !hasBegunLane && queue.isEmpty }

    /// Whether what the viewer asks for now is answered by a keyframe that still leaves, or left too short a time ago to be
    /// judged; or it is the reflex with which many players begin, whatever comes. Who finds it damaged asks again: where
    /// no packets are sent again, that is all that helps after any loss.
    func asksEarly(roundTrip: Duration?, at now: Instant) -> Bool {
        guard stage != .unbegun else { return false }
        if queue.contains(where: \.unit.isKeyframe) { return true }
        guard stage == .flowing, let keyframeLeftAt, let roundTrip else { return false }
        let isReflex = statistics.keyframeRequests == 0
        let patience = roundTrip + (isReflex ? Limits.timeOfReflex : Limits.timeToJudge)
        return now - keyframeLeftAt < min(patience, Limits.graceOfKeyframe)
    }
}
