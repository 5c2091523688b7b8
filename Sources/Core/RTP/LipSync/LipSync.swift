import Timebase

/// Keeps sound and picture of one sender together: what was captured at one moment is played at one moment.
///
/// Both streams' sender reports count on the same wall clock (RFC 3550 § 6.4.1: "to synchronize … media from the same
/// source"). What each stream adds between capture and playing can then be compared, though neither is known itself.
package struct LipSync: Sendable {
    /// Something that is, or would be, played or shown at an instant.
    package struct Presentation: Sendable {
        package var timestamp: UInt32
        package var at: Instant

        package init(timestamp: UInt32, at instant: Instant) {
            self.timestamp = timestamp
            at = instant
        }
    }

    /// How much longer each stream has to be held back than it is now; one of them is zero.
    package struct HoldBack: Hashable, Sendable {
        package var audio: Duration
        package var video: Duration

        package init(audio: Duration = .zero, video: Duration = .zero) {
            self.audio = audio
            self.video = video
        }
    }

    /// RFC 7587 § 4.1.
    package var audio = ReportedClock(clockRate: AudioTime.ticksPerSecond)
    /// RFC 6184 § 8.2.1.
    package var video = ReportedClock(clockRate: MediaTime.ticksPerSecond)

    package init() {}

    /// By how much the picture is behind the sound; negative where the sound is behind. Nil before both streams' first
    /// reports, or where their clocks have nothing to do with each other.
    package func videoLag(audio: Presentation, video: Presentation) -> Duration? {
        guard let heard = self.audio.captured(audio.timestamp), let seen = self.video.captured(video.timestamp)
        else { return nil }
        let lag = (video.at - audio.at) - seen.duration(since: heard)
        let bound = Limits.largestClockDistance
        return lag > bound || lag < .zero - bound ? nil : lag
    }

    /// What brings both together, as far as `Limits.longestLipSync` goes.
    package func holdBack(audio: Presentation, video: Presentation) -> HoldBack? {
        videoLag(audio: audio, video: video).map { lag in
            let bound = Limits.longestLipSync
            return HoldBack(audio: max(.zero, min(bound, lag)), video: max(.zero, min(bound, .zero - lag)))
        }
    }
}
