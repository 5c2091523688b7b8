import Timebase

/// The figures of the frame-rate adapter and its neighbours, with their reasons.
package enum MediaLimits {
    /// A still screen says so once a second: browsers ask for a keyframe after 3 s without a frame, and some viewers
    /// show a frame only when the next one arrives.
    static let keepaliveInterval = Duration.seconds(1)
    /// At most one keyframe a second per lane, for all its viewers together: one costs as much as thirty frames.
    package static let keyframeInterval = Duration.seconds(1)
    /// Keyframes together take no more than the fifth part of a lane's bits, unless a joiner would wait too long for one, or
    /// who lost the chain: where one takes more than 0.8 s to send, as 15 kB at 60 kbit/s do (2 s), they may take more, there
    /// a half.
    static let keyframeShare = 5.0
    static let longestKeyframeInterval = Duration.seconds(4)
    /// A window whose edge was dragged and that keeps its size for so long has the one it was to have.
    static let sizeStands = Duration.milliseconds(250)
    /// Periods without a change after which a run of motion has ended: fewer would take 15 pictures a second for still.
    static let periodsOfRest: Int64 = 3
    /// A change this close before its slot (a quarter of a period) need not wait for it.
    static let earlyShare = 4
    /// The media times of two frames are at least a quarter of a period apart.
    static let closest: Int64 = 4
    /// A slot trails the change that it follows by this much: the jitter of a source's timer.
    static let phaseMargin = Duration.microseconds(2500)
    /// What changes so long before a slot may be what the slot waits for.
    static let slotLead = phaseMargin * 2
    /// How far the phase moves per frame at most; 3 % of a period is not seen.
    static let phaseStep = Duration.milliseconds(1)
    /// A quarter of a second at 30 fps between two looks at the phase: a source that is two thousandths off has moved by
    /// half a millisecond.
    static let framesBetweenLooks = 8
    /// Changes looked at in one period: those of a 240 Hz screen.
    static let looksPerPeriod = 8
    /// A program draws one picture in several steps: what follows a change within this time belongs to it.
    package static let drawingTime = Duration.milliseconds(3)
    /// Once nothing has followed for this long it is drawn, where the source tells what follows.
    package static let drawingPause = Duration.milliseconds(1)
    /// So long behind the same painted once more, what changes counts as painted on and on.
    static let memoryOfRepaint = Duration.seconds(1)
    /// A pointer that moves is looked at once a frame of a 30 fps share; over pages, where every picture costs the same
    /// and text is what matters, less often.
    package static let pointerPeriod = Duration.milliseconds(33)
    package static let pointerPeriodOverPages = Duration.milliseconds(100)
    /// Between a picture and the first pass over it: a page is not kept waiting for a slot of fifteen a second.
    static let refinementPause = Duration.milliseconds(33)
    /// From this mean quantiser on, the picture looks like the original.
    package static let sharpQuantiser = 27.0
    /// Passes over a still picture after which it is left as it is, whatever the quantiser says. A page takes a handful; on
    /// a very slow link each is an eighth of what is left, in three rounds over the picture.
    static let refinementPasses = 200
    /// Passes in a row that gained nothing.
    static let idleRefinementPasses = 2
    /// Channels of a source of sound that are listened to; PulseAudio's sources have no more.
    static let channels = 32
    /// The slowest viewer of a rung holds the others back to no less than this part of what the best takes.
    static let rungSpread = 2
    /// How long a path stays below its rung, or above, before its viewer moves. Where it takes a quarter of what is sent,
    /// 1.5 s of that wait to leave by then, which is not dropped yet (PeerCore's `queuedTime`).
    static let timeBelowRung = Duration.seconds(2)
    /// A fall within this time of the one before is one of many.
    static let memoryOfFall = Duration.seconds(30)
    /// A good moment makes up for a bad one of a quarter of its length: who is below for a fifth of the time does not move.
    static let goodTimePerBad = 4
    /// Before the share itself gets smaller: behind a fall of the path's rate the estimate is below it for two or three
    /// seconds, and a keyframe comes at the worst moment then.
    static let timeBelowSize = Duration.seconds(4)
    /// And before a slow rung does.
    static let timeBelowSlowSize = Duration.seconds(2)
    static let timeFarBelowRung = Duration.milliseconds(500)
    static let timeAboveRung = Duration.seconds(5)
    /// Who had to leave within a minute of its return is above for twice as long before the next, up to this.
    static let longestTimeAboveRung = Duration.seconds(80)
    static let memoryOfReturn = Duration.seconds(60)
    static let timeOfStarvation = Duration.seconds(5)
    /// Bits for each pixel and second below which a film is better smaller, by SSIM of what is shown at the share's size:
    /// panned photographs with grain at 1280×720, superfast, were so below 1.5 Mbit/s (by PSNR below 1.1).
    static let bitsPerPixelOfFilm = 1.2
    /// And below which it falls apart (x264 at its largest quantisers takes half).
    static let leastBitsPerPixel = 0.4
    /// A film gets larger again where there are so many times the bits that it needs then: each change costs a keyframe.
    static let roomForLarger = 1.5
    static let timeBetweenSizes = Duration.seconds(5)
    /// And for each pixel of a picture of text, below which fewer of them are better.
    static let bitsPerPixelOfText = 0.012
    /// Where whatever is shown counts as a film: without a change for so long it is a page, which is to be seen whole, and
    /// with changes for so long it is none any more.
    static let timeOfRest = Duration.seconds(2)
    static let timeOfMotion = Duration.seconds(1)
}
