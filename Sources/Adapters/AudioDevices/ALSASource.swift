import Glibc
import Media
import SystemClock
import Timebase

/// A sound device as a source of blocks. Used by one thread, which it never blocks: what may take long (opening,
/// recovering, closing) happens on a thread of its own, which ends with it.
///
///     opening ──► running ──► recovering (an overrun, or the machine slept) ──► running
///        │           │              │
///        └───────────┴──────────────┴──► ended, with the error that every further read throws
///
/// The descriptors are the device's own, or those that end the present wait. A thread polls them beside others, for
/// whatever events and any time, and then reads: `read` looks by itself at which of them was ready.
package final class ALSASource: AudioSource {
    package let device: String
    package private(set) var format: AudioFormat
    private let timer = RestTimer()
    private var state: State

    private enum State {
        case opening(BlockingCall<Result<OpenDevice, AudioSourceError>>)
        case running(CaptureStream)
        case recovering(CaptureStream, BlockingCall<ALSAFailure?>)
        case ended(AudioSourceError)
    }

    /// Begins to open a device; whether there is one, and its format, the first reads tell.
    ///
    /// - Parameters:
    ///   - device: an `AudioDevice`'s id, or `AudioDevice.defaultMicrophone` or `defaultSystem`.
    ///   - server: the sound server, as `PULSE_SERVER` has it; by default that of the environment.
    ///   - preferred: taken where the device has no format of its own but can have any.
    ///   - period: how often the device hands over what it has. Twice as long costs half as much time of the processor.
    package convenience init(
        _ device: String, server: String? = nil, preferring preferred: AudioFormat = .stereo48k,
        period: Duration = .milliseconds(10)
    ) {
        let wish = CaptureWish(format: preferred, period: period)
        self.init(device, preferring: preferred) { () throws(AudioSourceError) in
            try OpenDevice.open(device, server: server, wish)
        }
    }

    init(
        _ device: String, preferring preferred: AudioFormat,
        open: @escaping @Sendable () throws(AudioSourceError) -> OpenDevice
    ) {
        self.device = device
        format = preferred
        state = .opening(BlockingCall(name: "sound-open") { Result(catching: open) })
        timer.set(Limits.openTime)
    }

    /// False while the device is being opened, and after it ended.
    package var isOpen: Bool {
        switch state {
        case .running, .recovering: true
        case .opening, .ended: false
        }
    }

    package var pollDescriptors: [(descriptor: Int32, events: Int16)] {
        switch state {
        case .opening(let call): [(call.descriptor, Int16(POLLIN)), (timer.descriptor, Int16(POLLIN))]
        case .running(let stream): stream.descriptors
        case .recovering(_, let call): [(call.descriptor, Int16(POLLIN)), (timer.descriptor, Int16(POLLIN))]
        case .ended: []
        }
    }

    package func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        do throws(AudioSourceError) {
            switch state {
            case .opening(let call): return try finishOpening(call, at: now)
            case .running(let stream): return try read(stream, at: now)
            case .recovering(let stream, let call): return try finishRecovering(stream, call, at: now)
            case .ended(let error): throw error
            }
        } catch {
            state = .ended(error)
            throw error
        }
    }

    private func finishOpening(
        _ call: BlockingCall<Result<OpenDevice, AudioSourceError>>, at now: Instant
    ) throws(AudioSourceError) -> AudioBlock? {
        guard let result = call.value else {
            if timer.hasFired() { throw .unavailable("The sound device \"\(device)\" does not answer.") }
            return nil
        }
        let stream = CaptureStream(try result.get(), timer: timer)
        format = stream.pcm.format
        state = .running(stream)
        return try read(stream, at: now)
    }

    private func read(_ stream: CaptureStream, at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        let block: AudioBlock?
        do throws(ALSAFailure) {
            block = try stream.read(at: now)
        } catch {
            try stream.watch?.check()
            guard error.code == EPIPE || error.code == ESTRPIPE else { throw error.lost(device) }
            recover(stream)
            return nil
        }
        // What another source gave since is not handed out.
        if stream.hasNews { try stream.watch?.check() }
        return block
    }

    private func recover(_ stream: CaptureStream) {
        let pcm = stream.pcm
        let call = BlockingCall<ALSAFailure?>(name: "sound-recover") {
            do throws(ALSAFailure) {
                try pcm.recover()
                return nil
            } catch {
                return error
            }
        }
        timer.set(Limits.openTime)
        state = .recovering(stream, call)
    }

    private func finishRecovering(
        _ stream: CaptureStream, _ call: BlockingCall<ALSAFailure?>, at now: Instant
    ) throws(AudioSourceError) -> AudioBlock? {
        guard let outcome = call.value else {
            if timer.hasFired() { throw .lost("The sound device \"\(device)\" does not answer.") }
            return nil
        }
        if let outcome { throw outcome.lost(device) }
        stream.interrupt()
        state = .running(stream)
        return try read(stream, at: now)
    }
}
