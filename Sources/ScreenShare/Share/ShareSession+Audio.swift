import Media
import NIOConcurrencyHelpers
import PeerDriver
import SystemClock
import Timebase

/// Sound: what of it is heard, live.
extension ShareSession {
    /// Mutes a source, or lets it be heard again; without a click.
    public func setMuted(_ isMuted: Bool, _ audio: SharedAudio) {
        guard let audioControls else { return }
        if isMuted { mutedAudio.insert(audio) } else { mutedAudio.remove(audio) }
        let kinds = Set(mutedAudio.map(\.kind))
        audioControls.change { $0.muted = kinds }
        sink.yield(.audioMuted(mutedAudio))
    }

    /// - Parameter decibels: −60…20; below is silence.
    public func setGain(_ decibels: Double, _ audio: SharedAudio) {
        switch audio {
        case .system: configuration.audio.systemGain = decibels
        case .microphone: configuration.audio.microphoneGain = decibels
        }
        audioControls?.change { $0.gains[audio.kind] = Gain(decibels: decibels) }
    }

    /// Takes a kind of sound from elsewhere from now on; nil for no more of it. A share that began without sound has none
    /// to offer.
    public func setAudioSource(_ source: ShareAudioSource?, _ audio: SharedAudio) {
        let factory = source?.factory(audio.kind)
        audioControls?.change { commands in
            commands.sources[audio.kind] = factory
            commands.generation += 1
        }
    }

    var soundStatistics: [SharedAudio: SoundStatistics] {
        let found = audioControls?.statistics.withLockedValue { $0 } ?? [:]
        return Dictionary(uniqueKeysWithValues: found.map { (SharedAudio($0.key), SoundStatistics($0.value)) })
    }

    /// Starts the thread of sound, which rests until somebody listens.
    func openAudio(_ hub: PeerHub, _ report: @escaping @Sendable (AudioLineEvent) -> Void) -> AudioControls? {
        guard !configuration.audio.isEmpty else { return nil }
        let controls = AudioControls(configuration.audio.commands)
        let (duration, start, taps) = (configuration.audio.opusDuration, SystemClock.now(), taps)
        BlockingThread.start(name: "sound") {
            AudioLine(
                controls: controls, packetDuration: duration, start: start, taps: taps,
                deliver: { hub.outbox.deliver($0, to: hub) }, report: report
            ).run()
        }
        return controls
    }

    func handle(_ event: AudioLineEvent) {
        switch event {
        case .lost(let kind, let text): sink.yield(.audioInterrupted(SharedAudio(kind), reason: text))
        case .back(let kind): sink.yield(.audioResumed(SharedAudio(kind)))
        case .delay(let delay):
            soundDelay = delay
            updatePlayoutDelay()
        case .failed(let text): sink.yield(.notice("Sound has ended: \(text)"))
        }
    }
}

extension SoundStatistics {
    init(_ statistics: AudioInputStatistics) {
        self.init(
            gaps: statistics.gaps, losses: statistics.jumps, delay: statistics.delay.inSeconds,
            wait: statistics.wait.inSeconds, drift: statistics.drift)
    }
}
