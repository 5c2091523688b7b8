import CALSA
import Glibc
import Media
import SystemClock
import Timebase

/// An ALSA PCM that captures; the owner of its handle.
final class PCM: @unchecked Sendable {  // Opened on one thread and read on another: handed over, never used by two.
    let handle: OpaquePointer
    /// What its frames are; set once, while it is opened.
    var format = AudioFormat.stereo48k
    var sampleFormat = SampleFormat(.float32)
    let log: ALSALog
    private var chunk: [UInt8] = []
    private var isClosed = false

    init(adopting handle: OpaquePointer, log: ALSALog) {
        self.handle = handle
        self.log = log
    }

    deinit {
        guard !isClosed else { return }
        // A sound server that hangs also keeps whoever closes: that thread then waits, nobody else.
        let bits = UInt(bitPattern: handle)
        let closing: @Sendable () -> Void = {
            _ = ALSALog().during { snd_pcm_close(OpaquePointer(bitPattern: bits)) }
        }
        // Where there is no other thread, this one has to: what nobody closes is kept from whoever opens it next.
        if !BlockingThread.startIfPossible(name: "sound-close", closing) { closing() }
    }

    /// Calls ALSA; its messages are kept for the failure that it may end with.
    @discardableResult
    func call(_ body: (OpaquePointer) -> Int32) throws(ALSAFailure) -> Int32 {
        let result = log.during { body(handle) }
        guard result >= 0 else { throw ALSAFailure(code: -result, message: log.lastLine) }
        return result
    }

    // MARK: Blocking

    /// Starts to capture. Blocks until a sound server answered.
    func start() throws(ALSAFailure) {
        // Configuring it has prepared it already; once more, PulseAudio's plugin would connect anew.
        if snd_pcm_state(handle) != SND_PCM_STATE_PREPARED { try call(snd_pcm_prepare) }
        try call(snd_pcm_start)
        // PulseAudio's plugin waits here for the first statement of its delay, so that no later call does.
        _ = try delay()
    }

    /// Frees the device for whoever opens it next; otherwise it is closed in the background. Blocks. The last call.
    func close() {
        isClosed = true
        _ = log.during { snd_pcm_close(handle) }
    }

    /// Gets a device going again after an overrun, or after the machine slept. Blocks as `start` does.
    func recover() throws(ALSAFailure) {
        if snd_pcm_state(handle) == SND_PCM_STATE_SUSPENDED, try resume() { return }
        try start()
    }

    /// - Returns: whether the device goes on where it stopped; otherwise it must be started anew.
    private func resume() throws(ALSAFailure) -> Bool {
        for _ in 0..<Limits.resumeTries {
            switch log.during({ snd_pcm_resume(handle) }) {
            case 0: return true
            case -EAGAIN: Wakeup()?.wait(atMost: Limits.resumePause)
            default: return false
            }
        }
        return false
    }

    // MARK: Not blocking

    /// Lets ALSA look at what its descriptors say: some of its plugins keep their own books by that (dsnoop empties its
    /// timer's queue, which otherwise stays readable).
    func demangle(_ entries: inout [pollfd]) {
        var events: UInt16 = 0
        _ = log.during { snd_pcm_poll_descriptors_revents(handle, &entries, UInt32(entries.count), &events) }
    }

    private(set) lazy var descriptors: [pollfd] = {
        let count = min(Int(max(0, snd_pcm_poll_descriptors_count(handle))), Limits.descriptors)
        var entries = [pollfd](repeating: pollfd(), count: count)
        let filled = log.during { snd_pcm_poll_descriptors(handle, &entries, UInt32(count)) }
        return Array(entries.prefix(Int(max(0, filled))))
    }()

    /// How many frames ago the first of those that can be read now was heard.
    func delay() throws(ALSAFailure) -> Int {
        var delay = 0
        try call { snd_pcm_delay($0, &delay) }
        return min(max(0, delay), format.frames(in: Limits.longestDelay))
    }

    /// Appends the samples of at most so many frames.
    ///
    /// - Returns: how many there were; fewer than asked for where there are no more.
    func read(frames: Int, into samples: inout [Float]) throws(ALSAFailure) -> Int {
        let bytesPerFrame = format.channels * sampleFormat.bytesPerSample
        let chunkFrames = max(1, format.frames(in: Limits.chunkTime))
        if chunk.isEmpty { chunk = [UInt8](repeating: 0, count: chunkFrames * bytesPerFrame) }
        var total = 0
        while total < frames {
            let wanted = min(chunkFrames, frames - total)
            let count = log.during { snd_pcm_readi(handle, &chunk, UInt(wanted)) }
            if count == -Int(EAGAIN) { break }
            guard count >= 0 else {
                if total > 0 { break }
                throw ALSAFailure(code: Int32(clamping: -count), message: log.lastLine)
            }
            let filled = min(count, wanted)
            sampleFormat.append(from: chunk.span.bytes.extracting(first: filled * bytesPerFrame), to: &samples)
            total += filled
            if filled < wanted { break }
        }
        return total
    }
}
