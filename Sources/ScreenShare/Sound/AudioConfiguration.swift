import AudioCodec
import AudioDevices
import Media

/// Which sound goes with the pictures, and how. Both kinds are mixed into one stereo track of Opus.
public struct AudioConfiguration: Sendable {
    /// What the machine, or the embedding program, plays; nil for none.
    public var system: ShareAudioSource?
    /// Who speaks; nil for none.
    public var microphone: ShareAudioSource?
    /// In dB, within `gains`; below is silence.
    public var systemGain = 0.0
    /// In dB, within `gains`; below is silence.
    public var microphoneGain = 0.0
    /// The most the track may use, in bits per second, 16,000…320,000. A viewer that loses packets is sent copies beside.
    public var maximumBitrate = 96_000
    /// How much sound a packet holds.
    public var packetDuration = AudioPacketDuration.milliseconds20

    /// Nil for a kind of sound that is not shared.
    public init(system: ShareAudioSource? = nil, microphone: ShareAudioSource? = nil) {
        self.system = system
        self.microphone = microphone
    }

    /// No sound: viewers are offered none.
    public static let none = AudioConfiguration()
    /// By how much a source can be made softer or louder, in dB: −60…24. A gain above counts as 24, one below is silence.
    public static let gains: ClosedRange<Double> = AudioLimits.gains

    /// Which are shared.
    package var kinds: Set<SharedAudio> {
        Set(SharedAudio.allCases.filter { $0 == .system ? system != nil : microphone != nil })
    }

    var isEmpty: Bool { kinds.isEmpty }
}

/// Where sound comes from.
@nonexhaustive public enum ShareAudioSource: Sendable {
    /// The monitor of the default output, or the default microphone.
    case standard
    /// A device, by the id that `ShareableAudio` tells.
    case device(String)
    /// Samples that the embedder pushes.
    case custom(CustomAudioSource)
}

/// What a sound is to the listener.
@nonexhaustive public enum SharedAudio: String, Hashable, Sendable, CaseIterable {
    /// What the machine or the embedding program plays.
    case system
    /// Who speaks.
    case microphone
}

/// How much sound a packet holds: less makes less delay and more packets.
///
/// Every viewer gets the same: packets are encoded once for all, and `ptime` and `maxptime` in an offer (RFC 8866 §§ 6.4 and 6.5)
/// are not read. For one that takes 10 ms at most choose that for the share.
@nonexhaustive public enum AudioPacketDuration: Int, Hashable, Sendable, CaseIterable {
    /// For calls: sound leaves 10 ms earlier, with twice the packets and headers.
    case milliseconds10 = 10
    /// What browsers send: 50 packets a second.
    case milliseconds20 = 20
}

extension AudioPacketDuration {
    /// What its packets' headers take, in bits per second.
    var headerBitrate: Int { ShareLimits.soundHeaders * 1000 / rawValue }
}

extension SharedAudio {
    var kind: AudioKind { self == .system ? .system : .microphone }

    init(_ kind: AudioKind) {
        switch kind {
        case .system: self = .system
        case .microphone: self = .microphone
        }
    }
}

extension ShareAudioSource {
    /// - Parameter clock: of what an embedder pushes.
    func factory(_ kind: AudioKind, clock: EmbedderClock) -> AudioSourceFactory {
        let device: String
        switch self {
        case .standard: device = kind == .system ? AudioDevice.defaultSystem : AudioDevice.defaultMicrophone
        case .device(let id): device = id
        case .custom(let source): return { source.makeReader(clock: clock.soundInput()) }
        }
        let memory = DeviceMemory()
        return { DeviceSource(device, memory: memory) }
    }
}

extension AudioConfiguration {
    func commands(clock: EmbedderClock) -> AudioCommands {
        var sources: [AudioKind: AudioSourceFactory] = [:]
        sources[.system] = system?.factory(.system, clock: clock)
        sources[.microphone] = microphone?.factory(.microphone, clock: clock)
        return AudioCommands(
            sources: sources,
            gains: [.system: Gain(decibels: systemGain), .microphone: Gain(decibels: microphoneGain)])
    }

    var opusDuration: OpusConfiguration.PacketDuration {
        switch packetDuration {
        case .milliseconds10: .milliseconds10
        case .milliseconds20: .milliseconds20
        }
    }
}
