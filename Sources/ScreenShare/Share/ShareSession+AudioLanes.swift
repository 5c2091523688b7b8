import AudioCodec
import Media
import PeerCore
import PeerDriver
import RTP

/// Which encodings of the sound are made, and for whom.
extension ShareSession {
    /// What a share's sound has where nobody asks for less.
    var soundBitrate: Int {
        let most = max(AudioLimits.leastOfShare, min(AudioLimits.mostSound, configuration.audio.maximumBitrate))
        return SoundRoom.share(of: totalBitrate, atMost: most)
    }

    /// With its packets' headers.
    var soundWithHeaders: Int { soundBitrate + configuration.audio.packetDuration.headerBitrate }

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
