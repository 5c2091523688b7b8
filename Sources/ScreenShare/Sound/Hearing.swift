import Media
import Timebase

/// What of a source may be heard: nothing that was said while it was muted or the share paused, however late it comes. A block
/// may hold half a second, and is there when its end is.
struct Hearing {
    private var isMuted = false
    /// What the device heard before is for nobody.
    private var since: Instant
    /// The last block's end was heard.
    private var wasHeard = false
    private var fadeIn = FadeIn()

    init(since: Instant = .zero) {
        self.since = since
    }

    mutating func mute(_ isMuted: Bool, at now: Instant) {
        if self.isMuted, !isMuted { since = now }
        self.isMuted = isMuted
    }

    /// Nothing from before is heard.
    mutating func begin(at now: Instant) {
        since = now
        wasHeard = false
    }

    /// How many frames are for nobody, those at the block's beginning.
    func hiddenFrames(of block: AudioBlock, at now: Instant) -> Int {
        if isMuted { return block.frameCount }
        let captured = block.plausibleCapture(at: now)
        return captured < since ? min(block.frameCount, block.format.frames(in: since - captured) + 1) : 0
    }

    /// Makes silence of the hidden frames, which keeps the place of the others; behind what was heard, of 5 ms at least.
    mutating func hide(_ hidden: Int, of block: inout AudioBlock) {
        var hidden = hidden
        if hidden > 0 {
            if wasHeard { hidden = min(block.frameCount, max(hidden, block.fallFrames)) }
            block.silence(until: hidden, from: wasHeard ? fadeIn.level : 0)
            fadeIn.begin()
        }
        fadeIn.apply(to: &block.samples, from: hidden, channels: block.format.channels)
        wasHeard = hidden < block.frameCount
    }
}

extension AudioBlock {
    /// Without its first frames; nil where nothing is left.
    func without(first frames: Int) -> AudioBlock? {
        if frames == 0 { return self }
        guard frames < frameCount else { return nil }
        return AudioBlock(
            format: format, samples: Array(samples[(frames * format.channels)...]),
            capturedAt: capturedAt + format.duration(frames: frames), longestPiece: longestPiece)
    }

    /// 5 ms.
    fileprivate var fallFrames: Int { max(1, format.sampleRate / 200) }

    /// - Parameter level: what was heard before falls from there, over 5 ms or all of it: the mixer's own fade takes longer
    ///   than what waits for it may last.
    fileprivate mutating func silence(until end: Int, from level: Float) {
        let fade = level > 0 ? min(end, fallFrames) : 0
        for index in 0..<end * format.channels {
            let frame = index / format.channels
            samples[index] = frame < fade ? samples[index] * level * (1 - Float(frame) / Float(fade)) : 0
        }
    }
}
