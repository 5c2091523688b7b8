import Media
import PeerCore
import PeerDriver
import RTP

/// What all that is sent may use, and how it is to be shown.
extension ShareSession {
    /// What pictures and sound may use together.
    var totalBitrate: Int {
        let bounds = ShareConfiguration.bitrates
        return max(bounds.lowerBound, min(bounds.upperBound, configuration.maximumBitrate))
    }

    /// What is left for pictures: sound comes first.
    var videoBitrate: Int {
        let hasListeners = viewers.values.contains { $0.isConnected && $0.audio != nil }
        return hasListeners ? max(totalBitrate / 2, totalBitrate - soundWithHeaders) : totalBitrate
    }

    /// A film is shown in step with its sound, and evenly; pages at once, for who types waits for the picture, not for the
    /// sound. Given room for lip sync, Chromium would find within half a minute that sound comes some 65 ms later, and hold
    /// back pages by that; that much is less than people notice (125 ms, ITU-R BT.1359).
    func playout(withSound hasSound: Bool) -> PlayoutWish {
        guard configuration.mode.showsFilm(content, isRateFixed: configuration.frameRate != nil) else { return PlayoutWish() }
        return PlayoutWish(delay: hasSound ? .lipSync(soundDelay: soundDelay) : .none, prefersSteady: true)
    }

    func updatePlayout() {
        let wishes = viewers.mapValues { playout(withSound: $0.audio != nil) }
        hub?.perform { hub in
            for (id, wish) in wishes { hub.with(id) { core, _ in core.setPlayout(wish) } }
        }
    }
}
