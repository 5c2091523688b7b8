import Media
import Testing
import Timebase

@testable import ScreenShare

@Suite("What of a source may be heard")
struct HearingTests {
    private static let format = AudioFormat(sampleRate: 44_100, channels: 1)

    /// 512 ms of one level, which is read as it ends.
    private func burst(endingAt end: Instant) -> AudioBlock {
        let frames = 22_596
        return AudioBlock(
            format: Self.format, samples: [Float](repeating: 0.5, count: frames),
            capturedAt: end - Self.format.duration(frames: frames))
    }

    private func at(_ milliseconds: Int) -> Instant { .zero + .seconds(100) + .milliseconds(milliseconds) }

    /// What is left of a block where it is read, and how many frames were hidden.
    private func heard(_ hearing: inout Hearing, _ block: AudioBlock, at now: Instant) -> (samples: [Float], hidden: Int) {
        let hidden = hearing.hiddenFrames(of: block, at: now)
        var block = block
        hearing.hide(hidden, of: &block)
        return (block.samples, hidden)
    }

    @Test("of a burst within which it was unmuted what was said before is silence, and the rest comes in without a click")
    func unmuted() {
        var hearing = Hearing()
        hearing.mute(true, at: at(0))
        hearing.mute(false, at: at(400))
        let block = burst(endingAt: at(512))
        let (samples, hidden) = heard(&hearing, block, at: at(512))
        #expect((17_600...17_700).contains(hidden), "400 ms")
        #expect(samples.count == block.samples.count && samples[..<hidden].allSatisfy { $0 == 0 })
        #expect(samples[hidden + 240] == 0.5 && samples.last == 0.5)
        let steps = zip(samples.dropFirst(), samples).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.004)
        let rest = block.without(first: hidden)
        #expect(rest?.samples.count == block.samples.count - hidden)
        #expect((rest?.capturedAt ?? .zero) >= at(400))
    }

    @Test("a mute that came and went between two blocks hides what was said meanwhile")
    func between() {
        var hearing = Hearing()
        let before = heard(&hearing, burst(endingAt: at(512)), at: at(512))
        #expect(before.hidden == 0)
        hearing.mute(true, at: at(600))
        hearing.mute(false, at: at(900))
        let (samples, hidden) = heard(&hearing, burst(endingAt: at(1024)), at: at(1024))
        #expect((17_000...17_200).contains(hidden), "until 900 ms")
        #expect(samples[220..<hidden].allSatisfy { $0 == 0 })
        let steps = zip(samples.dropFirst(), samples).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.004, "it falls from what was heard before")
    }

    @Test("sound comes in over 5 ms, though a block ends within them")
    func shortRest() {
        var hearing = Hearing()
        hearing.mute(true, at: at(0))
        let muted = heard(&hearing, burst(endingAt: at(512)), at: at(512))
        hearing.mute(false, at: at(1023))
        let first = heard(&hearing, burst(endingAt: at(1024)), at: at(1024))
        let second = heard(&hearing, burst(endingAt: at(1536)), at: at(1536))
        let samples = muted.samples + first.samples + second.samples
        let steps = zip(samples.dropFirst(), samples).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.004 && samples.last == 0.5)
    }

    @Test("what is muted again while it comes in falls from where it stands")
    func mutedWhileComingIn() {
        var hearing = Hearing()
        hearing.mute(true, at: at(0))
        let muted = heard(&hearing, burst(endingAt: at(512)), at: at(512))
        hearing.mute(false, at: at(1023))
        let first = heard(&hearing, burst(endingAt: at(1024)), at: at(1024))
        hearing.mute(true, at: at(1030))
        let second = heard(&hearing, burst(endingAt: at(1536)), at: at(1536))
        let samples = muted.samples + first.samples + second.samples
        let steps = zip(samples.dropFirst(), samples).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.004 && samples.last == 0)
        #expect((first.samples.last ?? 0) > 0, "some of it was heard")
    }

    @Test("what was muted for less than 5 ms falls and comes in without a click all the same")
    func shortMute() {
        var hearing = Hearing()
        let before = heard(&hearing, burst(endingAt: at(512)), at: at(512))
        hearing.mute(true, at: at(512))
        hearing.mute(false, at: at(512))
        let after = heard(&hearing, burst(endingAt: at(1024)), at: at(1024))
        #expect((1..<100).contains(after.hidden))
        let samples = before.samples + after.samples
        let steps = zip(samples.dropFirst(), samples).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.004 && samples.last == 0.5)
    }

    @Test("while it is muted all is hidden, and what is said after a pause, or of a new source, is heard from then on")
    func begun() {
        var hearing = Hearing(since: at(0))
        hearing.mute(true, at: at(100))
        let muted = heard(&hearing, burst(endingAt: at(700)), at: at(700))
        #expect(muted.hidden == 22_596)
        var resumed = Hearing()
        resumed.begin(at: at(512))
        let old = burst(endingAt: at(512))
        let hidden = heard(&resumed, old, at: at(512)).hidden
        #expect(hidden == 22_596 && (old.without(first: hidden)?.frameCount ?? 0) == 0)
        let next = heard(&resumed, burst(endingAt: at(1100)), at: at(1100))
        #expect(next.hidden == 0)
    }

    @Test("a stamp that can't be true hides nothing for longer than the block lasts")
    func falseStamp() {
        var hearing = Hearing()
        hearing.mute(true, at: at(0))
        hearing.mute(false, at: at(1000))
        var block = burst(endingAt: at(2000))
        block.capturedAt = at(-50_000)
        let hidden = heard(&hearing, block, at: at(2000)).hidden
        #expect(hidden == 0)
    }
}
