import AudioDevices
import Media
import SystemClock
import Timebase

/// Opens the sound devices that a share would open.
enum SoundCheck {
    struct Facts: Sendable {
        enum Outcome: Sendable {
            case open(name: String, sampleRate: Int, channels: Int)
            /// With what to do.
            case failure(String)
        }

        let kind: SharedAudio
        /// Somebody said that it is to be shared.
        let isAsked: Bool
        let outcome: Outcome
    }

    /// Blocks until the devices are open, or have been given their time.
    static func run(_ wanted: AudioConfiguration?) -> [Finding] {
        let devices = ShareableAudio.mayExist ? ShareableAudio.list() : []
        guard let wanted else {
            guard devices.contains(where: { $0.kind == .system }) else { return [Finding.noSound(devices)] }
            return [look(.standard, .system, isAsked: false, devices)].compactMap(\.self).map(Finding.sound)
        }
        if wanted.isEmpty { return [Finding(.sound, .ok, "none is asked for")] }
        return [
            look(wanted.system, .system, isAsked: true, devices),
            look(wanted.microphone, .microphone, isAsked: true, devices),
        ].compactMap(\.self).map(Finding.sound)
    }

    private static func look(
        _ source: ShareAudioSource?, _ kind: SharedAudio, isAsked: Bool, _ devices: [ShareableAudio]
    ) -> Facts? {
        let id: String
        switch source {
        case nil, .custom: return nil
        case .standard: id = kind == .system ? AudioDevice.defaultSystem : AudioDevice.defaultMicrophone
        case .device(let device): id = device
        }
        let named = devices.first { $0.id == id } ?? devices.first { $0.kind == kind && $0.isDefault }
        return Facts(kind: kind, isAsked: isAsked, outcome: open(id, called: named?.name ?? id))
    }

    private static func open(_ id: String, called name: String) -> Facts.Outcome {
        let end = SystemClock.now() + openTime
        let source = DeviceSource(id)
        do throws(AudioSourceError) {
            while true {
                _ = try source.read(at: SystemClock.now())
                if source.isOpen {
                    return .open(
                        name: name, sampleRate: source.format.sampleRate, channels: source.format.channels)
                }
                guard SystemClock.now() < end else { return .failure("\(name) does not open.") }
                var poll = Poll()
                for entry in source.pollDescriptors { poll.add(entry.descriptor, entry.events) }
                poll.wait(until: end)
            }
        } catch {
            switch error {
            case .unavailable(let text), .lost(let text), .unsupported(let text): return .failure(text)
            }
        }
    }

    /// Opening takes milliseconds; the list before it has taken two seconds at most.
    private static let openTime = Duration.milliseconds(1_500)
}

extension Finding {
    static func sound(_ facts: SoundCheck.Facts) -> Finding {
        let what = facts.kind == .system ? "system sound" : "the microphone"
        switch facts.outcome {
        case .open(let name, let sampleRate, let channels):
            let sound =
                switch channels {
                case 1: "mono"
                case 2: "stereo"
                default: "\(channels) channels"
                }
            return Finding(
                .sound, .ok, "\(what) is \(name), \(sampleRate) Hz, \(sound)",
                values: [
                    "kind": .text(facts.kind.rawValue), "device": .text(name), "sampleRate": Value(sampleRate),
                    "channels": Value(channels),
                ])
        case .failure(let text):
            return Finding(
                .sound, facts.isAsked ? .failure : .warning, "\(what) can't be captured: \(text)",
                advice: "See screenshare sources for what there is, or share without sound: --audio none.",
                values: ["kind": .text(facts.kind.rawValue)])
        }
    }

    /// Nobody asked for sound, and there is none of the system's.
    static func noSound(_ devices: [ShareableAudio]) -> Finding {
        let microphones = devices.filter { $0.kind == .microphone }
        let names = microphones.map(\.name).joined(separator: ", ")
        let others = microphones.isEmpty ? "" : "; there are microphones: \(names)"
        return Finding(
            .sound, .warning, "there is no sound server to take system sound from: pictures alone are shared\(others)",
            advice: "Start PulseAudio, or PipeWire with pipewire-pulse"
                + (microphones.isEmpty ? "." : ", or share a microphone: --audio mic."))
    }
}
