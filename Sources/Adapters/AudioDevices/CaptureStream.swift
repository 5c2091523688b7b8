import CALSA
import Glibc
import Media
import Timebase

/// An open device that gives sound. Used by one thread.
final class CaptureStream {
    let pcm: PCM
    let watch: PulseWatch?
    /// Whether the watch has something to look at.
    private(set) var hasNews = false
    private var clock = CaptureClock()
    private var pace = Pace()
    /// Set while the descriptors say that there is something to read, and nothing is there or may be read.
    private var isResting = false
    private let timer: RestTimer
    /// In the latest block: the next one is as long, as a rule.
    private var usualFrames = 0

    init(_ device: OpenDevice, timer: RestTimer) {
        pcm = device.pcm
        watch = device.watch
        self.timer = timer
    }

    /// What to wait for. Some descriptors lie: that of `null` is always readable, and that of the plugin for PulseAudio
    /// after it connected anew, until sound comes. A device that is resting is asked again after a while instead.
    var descriptors: [PollEntry] {
        let own = isResting ? [(timer.descriptor, Int16(POLLIN))] : pcm.descriptors.map(\.entry)
        return own + (watch?.descriptors ?? [])
    }

    /// What there is by now; nil where that is nothing.
    func read(at now: Instant) throws(ALSAFailure) -> AudioBlock? {
        let heard = now - pcm.format.duration(frames: try pcm.delay())
        let blockFrames = pcm.format.frames(in: Limits.blockTime)
        let allowed = min(blockFrames, pcm.format.frames(in: pace.allowance(at: now)))
        var samples: [Float] = []
        samples.reserveCapacity(usualFrames * pcm.format.channels)
        // All of it, also what came meanwhile: the delay counts from the first frame of a fragment of PulseAudio's.
        let frames = try pcm.read(frames: allowed, into: &samples)
        let isHeldBack = frames == allowed && allowed < blockFrames
        isResting = lookAtDescriptors() && (frames == 0 || isHeldBack)
        if isResting { timer.set(Limits.rest) }
        guard frames > 0 else { return nil }
        usualFrames = frames
        let duration = pcm.format.duration(frames: frames)
        pace.spend(duration)
        return AudioBlock(
            format: pcm.format, samples: samples, capturedAt: clock.stamp(heard, duration: duration))
    }

    /// After reading, because an event that came before the sound must not be overlooked.
    ///
    /// - Returns: whether the device says that there is more to read.
    private func lookAtDescriptors() -> Bool {
        let own = pcm.descriptors
        var entries = own + (watch?.descriptors ?? []).map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        hasNews = false
        guard poll(&entries, nfds_t(entries.count), 0) > 0 else { return false }
        hasNews = entries.dropFirst(own.count).contains { $0.revents != 0 }
        var ready = Array(entries.prefix(own.count))
        guard ready.contains(where: { $0.revents != 0 }) else { return false }
        pcm.demangle(&ready)
        return true
    }

    /// Sound was lost.
    func interrupt() {
        clock.interrupt()
        isResting = false
    }
}
