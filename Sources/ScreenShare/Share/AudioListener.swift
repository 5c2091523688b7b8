import AudioCodec
import Media
import PeerCore
import PeerDriver
import RTP
import SDP

/// What a viewer's offer says of the sound it takes, and how much of it gets lost.
package struct AudioListener: Sendable {
    /// In bits per second; nil: as much as there is.
    package let maximumBitrate: Int?
    package let prefersStereo: Bool
    package let prefersDTX: Bool
    private let takesFEC: Bool
    /// RED (RFC 2198), which does better.
    private let takesCopies: Bool
    /// Of its packets, 0…1.
    package var loss = 0.0
    /// What of its path sound may take, in bits per second (`SoundRoom`); `Int.max`: all there is.
    package var room = Int.max
    package var lane = AudioLane.full

    package init(_ opus: OpusOption) {
        maximumBitrate = opus.maximumBitrate
        prefersStereo = opus.prefersStereo
        prefersDTX = opus.usesDTX
        takesFEC = opus.usesInbandFEC
        takesCopies = opus.redundancyPayloadType != nil
    }

    /// The most that it is sent, in bits per second.
    var most: Int { min(maximumBitrate ?? .max, room) }

    /// What a share's own sound has where these listen: the most that one of them is sent. Whoever has less room, or takes
    /// less, gets another encoding.
    package static func bitrate(for listeners: [AudioListener], atMost maximum: Int) -> Int {
        min(maximum, listeners.map(\.most).max() ?? .max)
    }

    /// Losses are made good by in-band FEC alone: it takes no copies of sound with that bit rate, or has no room for one.
    package func reliesOnFEC(at bitsPerSecond: Int) -> Bool {
        // Packets vary in size: copies of the larger ones need room as well.
        let hasRoom = maximumBitrate.map { $0 >= 5 * bitsPerSecond / 2 } ?? true
        return takesFEC && !(takesCopies && hasRoom)
    }

    /// Which lane suits it where the share's own sound has that bit rate.
    package func lane(besides bitsPerSecond: Int) -> AudioLane {
        if room <= AudioLimits.leastSound { return .narrow }
        // Among those who take more it would have all of them get as little.
        if most <= AudioLimits.leastSound, most < bitsPerSecond { return .narrow }
        return most < bitsPerSecond || reliesOnFEC(at: bitsPerSecond) && loss > 0 ? .careful : .full
    }
}

extension OpusTarget {
    /// What all listeners of a lane can take.
    package init(for listeners: [AudioListener], lane: AudioLane = .full, bitsPerSecond: Int) {
        let rate = lane == .narrow ? min(bitsPerSecond, AudioLimits.leastSound) : bitsPerSecond
        let most = listeners.map(\.most).min() ?? rate
        self.init(bitsPerSecond: max(6_000, min(most, rate)))
        channels = lane != .narrow && listeners.contains(where: \.prefersStereo) ? .stereo : .mono
        usesDTX = listeners.allSatisfy(\.prefersDTX)
        let losses = listeners.filter { $0.reliesOnFEC(at: self.bitsPerSecond) }.map(\.loss)
        guard let loss = losses.max(), loss > 0 else { return }
        inBandFEC = .on
        expectedLoss = min(ShareLimits.mostExpectedLoss, Int((loss * 100).rounded(.up)))
    }
}

/// Which encodings of the sound are made, and for whom.
extension ShareSession {
    /// What a share's sound has where nobody asks for less.
    var soundBitrate: Int {
        SendTarget.sound(of: totalBitrate, atMost: max(16_000, min(AudioLimits.mostSound, configuration.audio.maximumBitrate)))
    }

    /// With its packets' headers.
    var soundWithHeaders: Int { soundBitrate + configuration.audio.packetDuration.headerBitrate }

    private var totalBitrate: Int { max(100_000, min(100_000_000, configuration.maximumBitrate)) }

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
