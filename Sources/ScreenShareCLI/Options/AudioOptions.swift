import ArgumentParser
import ScreenShare

/// Which sound is shared: options of `host` and `doctor`.
struct SoundChoice: ParsableArguments {
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case system, mic, both, none
    }

    @Option(
        help: ArgumentHelp(
            "The sound that is shared: system (what this machine plays), mic, both or none. Default: system, where there "
                + "is a sound server to take it from."))
    var audio: Choice?

    @Option(help: "The microphone, by its id in `screenshare sources`.")
    var mic: String?

    @Option(help: "What system sound is taken from, by its id in `screenshare sources`.")
    var system: String?

    /// A microphone that is named is shared alone, unless more is asked for.
    var wantsSystem: Bool { audio == nil ? mic == nil || system != nil : audio == .system || audio == .both }
    var wantsMicrophone: Bool { audio == nil ? mic != nil : audio == .mic || audio == .both }
    var isNone: Bool { audio == Choice.none }

    func validate() throws {
        if mic != nil, audio == .system || isNone { throw ValidationError("--mic goes with --audio mic or both.") }
        if system != nil, audio == .mic || isNone { throw ValidationError("--system goes with --audio system or both.") }
    }
}

/// How sound is shared: options of `host` and `doctor`.
struct AudioOptions: ParsableArguments {
    @OptionGroup var choice: SoundChoice

    @Option(parsing: .unconditional, help: "The microphone, louder or softer by so many dB, \(AudioOptions.gains).")
    var micGain: Double?

    @Option(parsing: .unconditional, help: "System sound, louder or softer by so many dB, \(AudioOptions.gains).")
    var systemGain: Double?

    @Option(help: "Milliseconds of sound in a packet, 10 or 20: 10 is heard 10 ms earlier, and costs 25 kbit/s more.")
    var ptime = 20

    /// As a person reads them.
    private static let gains =
        "\(Int(AudioConfiguration.gains.lowerBound))…\(Int(AudioConfiguration.gains.upperBound))"

    func validate() throws {
        if AudioPacketDuration(rawValue: ptime) == nil { throw ValidationError("--ptime takes 10 or 20.") }
        for (name, gain) in [("--mic-gain", micGain), ("--system-gain", systemGain)] {
            if let gain, !AudioConfiguration.gains.contains(gain) {
                throw ValidationError("\(name) takes \(Self.gains) dB.")
            }
        }
        if micGain != nil, !choice.wantsMicrophone { throw ValidationError("--mic-gain goes with --audio mic or both.") }
        if systemGain != nil, !choice.wantsSystem {
            throw ValidationError("--system-gain goes with --audio system or both.")
        }
    }

    /// What is captured, and a line that says so.
    ///
    /// - Throws: where a device is named that neither the sound server nor ALSA has.
    func plan(
        among devices: @autoclosure () -> [ShareableAudio], mayExist: Bool = ShareableAudio.mayExist,
        isUnknown: (String) -> Bool = { ShareableAudio.isUnknown($0) }
    ) throws -> (configuration: AudioConfiguration, text: String) {
        let (system, mic) = (choice.system, choice.mic)
        let devices = choice.isNone || !mayExist ? [] : devices()
        // A machine that may have sound and tells of none has not answered.
        let known = mayExist && devices.isEmpty ? nil : devices
        var (configuration, texts) = (AudioConfiguration.none, [String]())
        if choice.wantsSystem, choice.audio != nil || system != nil || devices.contains(where: { $0.kind == .system }) {
            try check(system, among: devices, isUnknown)
            configuration.system = system.map { .device($0) } ?? .standard
            texts.append(name(system, .system, devices) ?? Self.unnamed("system sound", .system, known))
        }
        if choice.wantsMicrophone {
            try check(mic, among: devices, isUnknown)
            configuration.microphone = mic.map { .device($0) } ?? .standard
            texts.append(name(mic, .microphone, devices) ?? Self.unnamed("the microphone", .microphone, known))
        }
        configuration.packetDuration = AudioPacketDuration(rawValue: ptime) ?? .milliseconds20
        (configuration.systemGain, configuration.microphoneGain) = (systemGain ?? 0, micGain ?? 0)
        let text = texts.isEmpty ? "No sound is shared." : "Sound: \(texts.joined(separator: " and "))."
        return (configuration, text)
    }

    private func name(_ id: String?, _ kind: SharedAudio, _ devices: [ShareableAudio]) -> String? {
        let found = devices.first { device in id.map { $0 == device.id } ?? (device.kind == kind && device.isDefault) }
        guard let found, let id, found.kind != kind else { return found?.name ?? id }
        return "\(found.name) (\(id)) as the \(kind.rawValue)'s"
    }

    /// One that comes later is taken then.
    ///
    /// - Parameter devices: nil where nobody could be asked.
    static func unnamed(_ words: String, _ kind: SharedAudio, _ devices: [ShareableAudio]?) -> String {
        devices?.contains { $0.kind == kind } == false ? "\(words) (there is none now)" : words
    }

    /// Names of ALSA's that are in no list are taken where its configuration has them.
    private func check(_ id: String?, among devices: [ShareableAudio], _ isUnknown: (String) -> Bool) throws {
        guard let id, !devices.contains(where: { $0.id == id }) else { return }
        if let meant = devices.first(where: { $0.id == "pulse:\(id)" }) {
            throw Failure(.unavailable, "there is no sound device \"\(id)\"; did you mean \(meant.id)?")
        }
        let isServers = id.isEmpty || id.hasPrefix("pulse:")
        if isServers && devices.contains(where: { $0.id.hasPrefix("pulse:") }) || isUnknown(id) {
            throw Failure(.unavailable, "there is no sound device \"\(id)\"; see screenshare sources")
        }
    }
}
