import Glibc
import Media
import SystemClock
import Timebase

/// A sound device as a source of blocks. Used by one thread, which it never blocks: opening may take long, and happens
/// on a thread of its own, which ends with it. While that hangs no other is begun: the next source waits for the same.
///
///     opening ──► open ──► ended, with the error that every further read throws
///        └─────────────────►┘
///
/// The descriptors are the device's own, or those that end the present wait. A thread polls them beside others, for
/// whatever events and any time, and then reads: `read` looks by itself at which of them was ready.
package final class DeviceSource: AudioSource {
    package let device: String
    package private(set) var format: AudioFormat
    package private(set) var channelMap: ChannelMap
    /// Of all openings of this device.
    package let memory: DeviceMemory
    private var state: State

    private enum State {
        case opening(DeviceMemory.Opening, RestTimer)
        case open(any AudioSource)
        case ended(AudioSourceError)
    }

    /// Begins to open a device; whether there is one, and its format, the first reads tell.
    ///
    /// - Parameters:
    ///   - device: an `AudioDevice`'s id, or `AudioDevice.defaultMicrophone` or `defaultSystem`.
    ///   - server: the sound server, as `PULSE_SERVER` has it; by default that of the environment.
    ///   - preferred: taken where the device has no format of its own but can have any.
    ///   - memory: one for all sources of the same device, of which each is let go before the next is made.
    ///   - period: how often the device hands over what it has. Twice as long costs half as much time of the processor.
    package convenience init(
        _ device: String, server: String? = nil, preferring preferred: AudioFormat = .stereo48k,
        period: Duration = .milliseconds(10), memory: DeviceMemory = DeviceMemory()
    ) {
        let wish = CaptureWish(format: preferred, period: period)
        self.init(device, preferring: preferred, memory: memory) { () throws(AudioSourceError) in
            try OpenDevice.open(device, server: server, memory, wish)
        }
    }

    init(
        _ device: String, preferring preferred: AudioFormat, memory: DeviceMemory = DeviceMemory(),
        open: @escaping @Sendable () throws(AudioSourceError) -> OpenDevice
    ) {
        self.device = device
        self.memory = memory
        format = preferred
        channelMap = ChannelMap(channels: preferred.channels)
        do throws(AudioSourceError) {
            let timer = try RestTimer()
            timer.set(Limits.openTime)
            let opening = try memory.opening { () throws(AudioSourceError) in
                try .ofSound(name: "sound-open") { Result(catching: open) }
            }
            state = .opening(opening, timer)
        } catch {
            state = .ended(error)
        }
    }

    /// False while the device is being opened, and after it ended.
    package var isOpen: Bool {
        switch state {
        case .open: true
        case .opening, .ended: false
        }
    }

    package var pollDescriptors: [PollEntry] {
        switch state {
        case .opening(let call, let timer):
            [call.descriptor, timer.descriptor].map { PollEntry(descriptor: $0, events: Int16(POLLIN)) }
        case .open(let source): source.pollDescriptors
        case .ended: []
        }
    }

    package var givesShortPieces: Bool {
        switch state {
        case .open(let source): source.givesShortPieces
        case .opening, .ended: false
        }
    }

    package func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        do throws(AudioSourceError) {
            switch state {
            case .opening(let call, let timer): return try finishOpening(call, timer, at: now)
            case .open(let source): return try source.read(at: now)
            case .ended(let error): throw error
            }
        } catch {
            state = .ended(error)
            throw error
        }
    }

    private func finishOpening(
        _ call: DeviceMemory.Opening, _ timer: RestTimer, at now: Instant
    ) throws(AudioSourceError) -> AudioBlock? {
        guard let result = call.value else {
            if timer.hasFired() { throw .unavailable("The sound device \"\(device)\" does not answer.") }
            return nil
        }
        let source = try result.get().source
        (format, channelMap) = (source.format, source.channelMap)
        state = .open(source)
        return try source.read(at: now)
    }
}
