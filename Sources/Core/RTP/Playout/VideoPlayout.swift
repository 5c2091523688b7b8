import Timebase

/// When each picture is to be shown, so that the pace of the source comes back which the network took from it.
///
/// The delay follows the network as that of `AudioPlayout` does, by the same figures: it covers what jitter and repair
/// made of nearly all pictures, and is nothing where they come evenly. A picture that is much larger than others says
/// nothing of the network: a new page on a slow link is shown when it is there, and delays none that follows. Nor does a
/// stall: who watches wants to see what is, not what was seconds ago.
package struct VideoPlayout: Sendable {
    private var epoch: Instant?
    private var firstTime = MediaTime(ticks: 0)
    private var delays = RelativeDelay()
    /// When something is shown, minus its media time, without `holdBack`; seconds.
    private var offset = 0.0
    private var lastMedia = 0.0
    /// Of the picture before.
    private var latestMedia = 0.0
    /// Bytes of a picture that nothing special happens in.
    private var ordinaryBytes = 0.0
    /// How much longer pictures are held back than the network asks for, for lip sync.
    package var holdBack = Duration.zero {
        didSet { holdBack = max(.zero, min(Limits.longestLipSync, holdBack)) }
    }

    package init() {}

    /// The sender began anew, with other timestamps.
    package mutating func restart() {
        self = VideoPlayout()
    }

    /// A picture came, complete.
    ///
    /// - Parameters:
    ///   - mediaTime: unwrapped.
    ///   - bytes: its size.
    /// - Returns: when it is to be shown; never before it came.
    package mutating func receive(_ mediaTime: MediaTime, bytes: Int, at now: Instant) -> Instant {
        let isBegun = epoch != nil
        let epoch = epoch ?? begin(mediaTime, at: now)
        let (media, seconds) = (media(mediaTime), (now - epoch).inSeconds)
        // What a joiner catches up with has one time and comes one after another: that is no delay of the network's.
        let isPressed = isBegun && (0..<Limits.leastPictureStep).contains(media - latestMedia)
        latestMedia = media
        if isOrdinary(bytes), !isPressed { delays.note(transit: seconds - media, at: seconds) }
        let wanted = (delays.base ?? offset) + min(delays.target, Limits.longestVideoDelay)
        // It grows at once, and shrinks so slowly that nobody sees it; what a stall has left behind is leapt over.
        let room = max(0, media - lastMedia) * Limits.videoPlayoutBend
        offset = offset - wanted > Limits.longestVideoDelay ? wanted : max(wanted, offset - room)
        lastMedia = max(lastMedia, media)
        return max(now, planned(mediaTime) + holdBack)
    }

    /// When a picture would be shown that came in time, were nothing held back for lip sync.
    package func planned(_ mediaTime: MediaTime) -> Instant {
        (epoch ?? .zero) + .seconds(media(mediaTime) + offset)
    }

    private mutating func begin(_ mediaTime: MediaTime, at now: Instant) -> Instant {
        epoch = now
        firstTime = mediaTime
        return now
    }

    /// In seconds since the first picture; bounded, so that it can be reckoned with.
    private func media(_ mediaTime: MediaTime) -> Double {
        let ticks = mediaTime.ticks.subtractingSaturating(firstTime.ticks)
        let seconds = Double(ticks) / Double(MediaTime.ticksPerSecond)
        return max(-Limits.longestStream, min(Limits.longestStream, seconds))
    }

    /// Follows what is small quickly and what is large slowly.
    private mutating func isOrdinary(_ bytes: Int) -> Bool {
        let size = Double(bytes)
        defer { ordinaryBytes += (size - ordinaryBytes) * (size < ordinaryBytes ? 0.25 : 1.0 / 64) }
        if ordinaryBytes == 0 { ordinaryBytes = size }
        return size <= Limits.ordinaryPicture * ordinaryBytes
    }
}
