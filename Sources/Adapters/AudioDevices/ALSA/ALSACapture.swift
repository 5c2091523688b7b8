import CALSA
import Glibc
import Media
import SystemClock
import Timebase

/// An open PCM of ALSA's that gives sound. Used by one thread.
///
///     running ──► recovering (an overrun, or the machine slept) ──► running
///
/// Recovering may take long: it happens on a thread of its own, which ends with it.
final class ALSACapture: AudioSource {
    private let device: String
    private let pcm: PCM
    private var recovery: BlockingCall<ALSAFailure?>?
    private var smoother = TimestampSmoother()
    private var pace = Pace()
    /// Set while the descriptors say that there is something to read, and nothing is there or may be read.
    private var isResting = false
    /// Ends a rest, and a recovery that takes too long.
    private let timer: RestTimer
    /// In the latest block: the next one is as long, as a rule.
    private var usualFrames = 0

    /// - Parameter device: its id.
    init(_ pcm: PCM, of device: String) throws(AudioSourceError) {
        timer = try RestTimer()
        self.pcm = pcm
        self.device = device
    }

    var format: AudioFormat { pcm.format }

    /// Some descriptors lie: that of `null` is always readable, and that of the plugin for PulseAudio after it
    /// connected anew, until sound comes. A device that is resting is asked again after a while instead.
    var pollDescriptors: [PollEntry] {
        let end = PollEntry(descriptor: timer.descriptor, events: Int16(POLLIN))
        if let recovery { return [PollEntry(descriptor: recovery.descriptor, events: Int16(POLLIN)), end] }
        return isResting ? [end] : pcm.descriptors.map(\.entry)
    }

    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        if let recovery, try !finish(recovery) { return nil }
        do throws(ALSAFailure) {
            return try block(at: now)
        } catch {
            guard error.code == EPIPE || error.code == ESTRPIPE else { throw error.lost(device) }
            try recover()
            return nil
        }
    }

    // MARK: Running

    private func block(at now: Instant) throws(ALSAFailure) -> AudioBlock? {
        let heard = now - pcm.format.duration(frames: try pcm.delay())
        let blockFrames = pcm.format.frames(in: Limits.blockTime)
        let allowed = min(blockFrames, pcm.format.frames(in: pace.allowance(at: now)))
        var samples: [Float] = []
        samples.reserveCapacity(usualFrames * pcm.format.channels)
        // All of it, also what came meanwhile: a plugin's delay may count from the first frame of a fragment.
        let frames = try pcm.read(frames: allowed, into: &samples)
        let isHeldBack = frames == allowed && allowed < blockFrames
        isResting = saysReadable() && (frames == 0 || isHeldBack)
        if isResting { timer.set(Limits.rest) }
        guard frames > 0 else { return nil }
        usualFrames = frames
        let duration = pcm.format.duration(frames: frames)
        pace.spend(duration)
        return AudioBlock(
            format: pcm.format, samples: samples, capturedAt: smoother.stamp(heard, duration: duration))
    }

    /// Whether the device says that there is more to read.
    private func saysReadable() -> Bool {
        var entries = pcm.descriptors
        guard poll(&entries, nfds_t(entries.count), 0) > 0 else { return false }
        pcm.demangle(&entries)
        return true
    }

    // MARK: Recovering

    private func recover() throws(AudioSourceError) {
        let pcm = pcm
        recovery = try .ofSound(name: "sound-recover") {
            do throws(ALSAFailure) {
                try pcm.recover()
                return nil
            } catch {
                return error
            }
        }
        timer.set(Limits.openTime)
    }

    /// - Returns: whether the device runs again.
    private func finish(_ recovery: BlockingCall<ALSAFailure?>) throws(AudioSourceError) -> Bool {
        guard let outcome = recovery.value else {
            if timer.hasFired() { throw .lost("The sound device \"\(device)\" does not answer.") }
            return false
        }
        if let outcome { throw outcome.lost(device) }
        self.recovery = nil
        smoother.interrupt()
        isResting = false
        return true
    }
}
