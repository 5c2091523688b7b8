import AudioCodec
import Media
import PeerCore
import PeerDriver
import RTP

/// Which encodings of the sound are made, and for whom.
extension ShareSession {
    /// What a share's sound has where nobody asks for less.
    var soundBitrate: Int {
        SendTarget.sound(of: totalBitrate, atMost: max(16_000, min(AudioLimits.mostSound, configuration.audio.maximumBitrate)))
    }

    /// With its packets' headers.
    var soundWithHeaders: Int { soundBitrate + configuration.audio.packetDuration.headerBitrate }

    /// What pictures and sound may use together.
    var totalBitrate: Int { max(100_000, min(100_000_000, configuration.maximumBitrate)) }

    /// What is left for pictures: sound comes first.
    var videoBitrate: Int {
        let hasListeners = viewers.values.contains { $0.isConnected && $0.audio != nil }
        return hasListeners ? max(totalBitrate / 2, totalBitrate - soundWithHeaders) : totalBitrate
    }

    /// A film is shown in step with its sound, and evenly; pages at once, for who types waits for the picture, not for the
    /// sound. Given room for lip sync, Chromium would find within half a minute that sound comes some 65 ms later, and hold
    /// back pages by that; that much is less than people notice (125 ms, ITU-R BT.1359).
    func playout(withSound hasSound: Bool) -> PlayoutWish {
        guard isFilm else { return PlayoutWish() }
        return PlayoutWish(delay: hasSound ? .lipSync(soundDelay: soundDelay) : .none, prefersSteady: true)
    }

    /// A rate that was asked for is a film's: nobody looks for one then.
    private var isFilm: Bool {
        switch configuration.mode {
        case .motion: true
        case .detail: false
        case .auto: content == .video || configuration.frameRate != nil
        }
    }

    func updatePlayout() {
        let wishes = viewers.mapValues { playout(withSound: $0.audio != nil) }
        hub?.perform { hub in
            for (id, wish) in wishes { hub.with(id) { core, _ in core.setPlayout(wish) } }
        }
    }

    /// One encoder for all, whose bit rate follows the widest path; another, for all others together, while somebody takes
    /// less, loses much, or has less room for sound; and a third while somebody takes hardly any, or a path hardly more.
    func updateAudioLanes() {
        let listeners = viewers.values.filter(\.isConnected).compactMap(\.audio)
        let rate = AudioListener.bitrate(for: listeners, atMost: soundBitrate)
        for (id, viewer) in viewers {
            guard let audio = viewer.audio, audio.lane != audio.lane(besides: rate) else { continue }
            viewers[id]?.audio?.lane = audio.lane(besides: rate)
            tellAudioLane(of: id)
        }
        // With the lanes that were chosen just now.
        let lanes = Dictionary(grouping: viewers.values.filter(\.isConnected).compactMap(\.audio), by: \.lane)
        let targets = lanes.map { lane, listeners in (lane, OpusTarget(for: listeners, lane: lane, bitsPerSecond: rate)) }
        audioControls?.change { $0.lanes = Dictionary(uniqueKeysWithValues: targets) }
        let video = videoBitrate
        controls?.change { $0.bitsPerSecond = video }
        hub?.perform { $0.setBitrate(video) }
    }

    /// Has a viewer get the encoding that was chosen for it.
    func tellAudioLane(of id: PeerID) {
        guard let lane = viewers[id]?.audio?.lane else { return }
        hub?.perform { hub in hub.with(id) { core, _ in core.setAudioLane(lane) } }
    }
}
