import Timebase

/// Keeps sound and picture of one sender together: what was captured at one moment is played at one moment.
///
/// Both streams' capture times are on the sender's one wall clock (RFC 3550 § 6.4.1: "to synchronize … media from the
/// same source"; `ReportedClock`). What each stream adds between capture and playing can then be compared, though
/// neither is known itself.
package enum LipSync {
    /// Something that is, or would be, played or shown at an instant.
    package struct Presentation: Sendable {
        /// On the sender's wall clock.
        package var captured: NTPTimestamp
        package var at: Instant

        package init(captured: NTPTimestamp, at instant: Instant) {
            self.captured = captured
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

    /// By how much the picture is behind the sound; negative where the sound is behind. Nil where their clocks have
    /// nothing to do with each other.
    package static func videoLag(audio: Presentation, video: Presentation) -> Duration? {
        let lag = (video.at - audio.at) - video.captured.duration(since: audio.captured)
        return lag.magnitude > Limits.largestClockDistance ? nil : lag
    }

    /// What brings both together, as far as `Limits.longestLipSync` goes.
    package static func holdBack(audio: Presentation, video: Presentation) -> HoldBack? {
        videoLag(audio: audio, video: video).map { lag in
            let bound = Limits.longestLipSync
            return HoldBack(audio: max(.zero, min(bound, lag)), video: max(.zero, min(bound, .zero - lag)))
        }
    }
}
