import AudioCodec
import Logging
import Media
import PeerCore
import PeerDriver
import SystemClock
import Timebase

/// Sound: what of it is heard, live.
extension ShareSession {
    /// Mutes a source, or lets it be heard again; without a click. What is muted before `start` is from the beginning.
    public func setMuted(_ isMuted: Bool, for audio: SharedAudio) {
        if isMuted { mutedAudio.insert(audio) } else { mutedAudio.remove(audio) }
        let kinds = Set(mutedAudio.map(\.kind))
        audioControls?.change { $0.muted = kinds }
        tell(.audioMuted(mutedAudio))
    }

    /// Makes a source louder or quieter from now on.
    ///
    /// - Parameter decibels: within `AudioConfiguration.gains`, 0 as it is captured; below is silence.
    public func setGain(_ decibels: Double, for audio: SharedAudio) {
        switch audio {
        case .system: configuration.audio.systemGain = decibels
        case .microphone: configuration.audio.microphoneGain = decibels
        }
        audioControls?.change { $0.gains[audio.kind] = Gain(decibels: decibels) }
    }

    /// Takes a kind of sound from elsewhere from now on; nil for no more of it. A share that began without sound has none
    /// to offer.
    public func setAudioSource(_ source: ShareAudioSource?, for audio: SharedAudio) {
        // A start that fails is followed by another with what was chosen meanwhile, and rooms tell what is shared.
        switch audio {
        case .system: configuration.audio.system = source
        case .microphone: configuration.audio.microphone = source
        }
        let factory = source?.factory(audio.kind, clock: embedderClock)
        audioControls?.change { commands in
            commands.sources[audio.kind] = factory
            commands.generations[audio.kind, default: 0] += 1
        }
    }

    /// A share that began without sound has none to offer, nor has one whose sound has ended.
    var offersSound: Bool { audioControls != nil && !hasSoundEnded }

    var soundStatistics: [SharedAudio: SoundStatistics] {
        Dictionary(uniqueKeysWithValues: audioCounters.now.map { (SharedAudio($0.key), SoundStatistics($0.value)) })
    }

    /// What is wanted of the sound so far; nil for no sound.
    var initialAudioCommands: AudioCommands? {
        if configuration.audio.isEmpty { return nil }
        var commands = configuration.audio.commands(clock: embedderClock)
        commands.muted = Set(mutedAudio.map(\.kind))
        commands.isPaused = beginsPaused
        return commands
    }

    /// Starts the thread of sound, which rests until somebody listens.
    func openAudio(_ hub: PeerHub, _ report: @escaping @Sendable (AudioPipelineEvent) -> Void) {
        guard let controls = audioControls else { return }
        let (duration, start, taps, counters) = (configuration.audio.opusDuration, SystemClock.now(), taps, audioCounters)
        let isStarted = controls.start(name: "sound") {
            Self.runAudio(controls, counters, hub, taps, (duration, start), report)
        }
        if !isStarted { report(.failed("\(ProcessLimits.noThread).")) }
    }

    /// Devices are closed when it returns.
    private static func runAudio(
        _ controls: AudioControls, _ counters: AudioCounters, _ hub: PeerHub, _ taps: SampleTaps,
        _ timing: (packet: OpusConfiguration.PacketDuration, start: Instant),
        _ report: @escaping @Sendable (AudioPipelineEvent) -> Void
    ) {
        AudioPipeline(
            controls: controls, counters: counters, packetDuration: timing.packet, start: timing.start, taps: taps,
            deliver: { hub.outbox.deliver($0, to: hub) }, report: report
        ).run()
    }

    /// Pictures wait for it no longer, and get its bits.
    private func endSound() {
        hasSoundEnded = true
        for id in viewers.keys {
            viewers[id]?.audio = nil
            hub?.perform { hub in hub.with(id) { core, _ in core.endAudio() } }
        }
        updateAudioLanes()
        updatePlayout()
    }

    func handle(_ event: AudioPipelineEvent) {
        switch event {
        case .lost(let kind, let text): tell(.audioInterrupted(SharedAudio(kind), reason: text))
        case .back(let kind): tell(.audioResumed(SharedAudio(kind)))
        case .delay(let delay):
            soundDelay = delay
            updatePlayout()
        case .failed(let text):
            endSound()
            tell(.notice("Sound has ended: \(text)"))
        case .priority(let priority): logger.debug("The thread of sound runs \(priority.text).")
        }
    }
}

extension SoundStatistics {
    init(_ statistics: AudioInputStatistics) {
        self.init(
            gaps: statistics.gaps, losses: statistics.jumps, delay: statistics.delay, wait: statistics.wait,
            drift: statistics.drift)
    }
}

extension ThreadPriority {
    /// For the developer.
    fileprivate var text: String {
        switch self {
        case .realTime: "in real time (SCHED_RR)"
        case .nice(let value): "with a nice value of \(value)"
        case .ordinary: "as others do"
        }
    }
}
