import Media
import SystemClock
import Timebase

/// A device that was opened.
struct OpenDevice: @unchecked Sendable {  // Handed over once, from the thread that opened it to the one that reads.
    let source: any AudioSource

    /// Opens a device by its id. Blocks: for half a minute where a sound server hangs, and without end where a display does,
    /// which libpulse asks for its server.
    static func open(
        _ id: String, server: String?, _ memory: DeviceMemory, _ wish: CaptureWish
    ) throws(AudioSourceError) -> OpenDevice {
        let deadline = SystemClock.now() + Limits.openTime
        switch DeviceAddress(id) {
        case .defaultMicrophone:
            let found: PulseServer
            do throws(PulseFailure) {
                found = try PulseServer.connect(to: server, until: deadline)
            } catch {
                // One that was there comes back, and has the microphone; ALSA's default may be another, or silent.
                if memory.hadServer || error == .timedOut { throw error.unavailable }
                return try open(pcm: id, wish)
            }
            memory.noteServer()
            return try open(.defaultMicrophone, of: found, wish, until: deadline)
        case .pulse(let target):
            let server = try answer { () throws(PulseFailure) in
                try PulseServer.connect(to: server, until: deadline)
            }
            return try open(target, of: server, wish, until: deadline)
        case .pcm(let name):
            return try open(pcm: name, wish)
        }
    }

    private static func open(pcm name: String, _ wish: CaptureWish) throws(AudioSourceError) -> OpenDevice {
        let pcm: PCM
        do throws(ALSAFailure) {
            pcm = try PCM.open(name: name, wish)
        } catch {
            throw error.unavailable(name)
        }
        return OpenDevice(source: try ALSACapture(pcm, of: name))
    }

    private static func open(
        _ target: PulseTarget, of server: PulseServer, _ wish: CaptureWish, until deadline: Instant
    ) throws(AudioSourceError) -> OpenDevice {
        let (sources, defaults) = try answer { () throws(PulseFailure) in
            // Subscribed first: nothing that changes after the answers is missed.
            try server.subscribe(until: deadline)
            return (try server.askSources(until: deadline), try server.askDefaults(until: deadline))
        }
        let source = try target.resolve(among: sources, defaults)
        let watch = PulseWatch(server, over: source, as: target)
        do throws(PulseFailure) {
            let stream = try PulseStream.record(source, of: server, period: wish.period, until: deadline)
            return OpenDevice(source: PulseCapture(stream, watch))
        } catch {
            guard case .refused(let reason) = error else { throw error.unavailable }
            throw .unavailable("\(source.description) can't be captured (\(reason)).")
        }
    }

    private static func answer<Value>(_ body: () throws(PulseFailure) -> Value) throws(AudioSourceError) -> Value {
        do throws(PulseFailure) {
            return try body()
        } catch {
            throw error.unavailable
        }
    }
}

extension PulseFailure {
    /// What the failure means while a device is opened.
    var unavailable: AudioSourceError {
        let advice = "System sound needs PulseAudio, or PipeWire with pipewire-pulse."
        switch self {
        case .noLibrary: return .unavailable("libpulse is not installed. \(advice)")
        case .refused(let reason): return .unavailable("No sound server answers (\(reason)). \(advice)")
        case .timedOut: return .unavailable("The sound server does not answer; start it again.")
        case .lost: return .unavailable("The sound server is gone. \(advice)")
        }
    }
}
