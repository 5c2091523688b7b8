import AudioCodec
import Media
import RTP
import SDP

/// What a viewer's offer says of the sound it takes, and how much of it gets lost.
package struct AudioListener: Sendable {
    /// In bits per second; nil: as much as there is.
    package let maximumBitrate: Int?
    let prefersStereo: Bool
    let prefersDTX: Bool
    private let takesFEC: Bool
    /// RED (RFC 2198), which does better.
    private let takesCopies: Bool
    /// Of its packets, 0…1.
    package var loss = 0.0
    /// What of its path sound may take, in bits per second (`SoundRoom`); `Int.max`: all there is.
    package var room = Int.max
    var lane = AudioLane.full

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
    func reliesOnFEC(at bitsPerSecond: Int) -> Bool {
        let hasRoom = maximumBitrate.map { $0 >= bitsPerSecond * ShareLimits.soundWithCopiesPercent / 100 } ?? true
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
        self.init(bitsPerSecond: max(Self.bitrates.lowerBound, min(most, rate)))
        channels = lane != .narrow && listeners.contains(where: \.prefersStereo) ? .stereo : .mono
        usesDTX = listeners.allSatisfy(\.prefersDTX)
        let losses = listeners.filter { $0.reliesOnFEC(at: self.bitsPerSecond) }.map(\.loss)
        guard let loss = losses.max(), loss > 0 else { return }
        inBandFEC = .on
        expectedLoss = min(ShareLimits.mostExpectedLoss, Int((loss * 100).rounded(.up)))
    }
}
