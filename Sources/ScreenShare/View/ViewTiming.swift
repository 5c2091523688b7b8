import PeerCore
import RTP
import SystemClock
import Timebase

/// When a viewer's pictures are to be shown and its sound to be heard, so that both go together.
///
/// Each stream alone would be played when the network lets it (`VideoPlayout`, `AudioPlayout`); the one that is earlier is
/// held back.
struct ViewTiming {
    private var video = VideoPlayout()
    /// The piece of sound that was handed over last.
    private var heard: LipSync.Presentation?
    /// By how much each picture was shown later than its sound was heard.
    private var lags = RecentValues<Duration>(capacity: Self.history)
    /// From capture to showing, by both machines' wall clocks.
    private var videoDelays = RecentValues<Duration>(capacity: Self.history)
    private var audioDelays = RecentValues<Duration>(capacity: Self.history)

    /// Twenty seconds of pictures.
    private static let history = 600

    /// The sharer began anew.
    mutating func restart() {
        video.restart()
        heard = nil
    }

    /// When a picture is to be shown; sound is held back where it would be heard too early.
    mutating func show(_ unit: ReceivedUnit, beside sound: inout ViewAudio) -> Instant {
        let at = video.receive(unit.mediaTime, bytes: unit.accessUnit.bytes.count, at: unit.receivedAt)
        guard let captured = unit.capturedAt else { return at }
        videoDelays.append(Self.age(of: captured, at: at))
        if let heard, let lag = LipSync.videoLag(audio: heard, video: .init(captured: captured, at: at)) {
            lags.append(lag)
        }
        let planned = LipSync.Presentation(captured: captured, at: video.planned(unit.mediaTime))
        if let audio = sound.planned, let wanted = LipSync.holdBack(audio: audio, video: planned) {
            video.holdBack = Self.next(video.holdBack, wanted.video)
            sound.holdBack = Self.next(sound.holdBack, wanted.audio)
        }
        return at
    }

    /// A piece of sound was handed over.
    mutating func hear(_ sound: LipSync.Presentation, at now: Instant) {
        heard = sound
        audioDelays.append(Self.age(of: sound.captured, at: now))
    }

    /// What is off by little is left alone: moving it would be worse.
    private static func next(_ held: Duration, _ wanted: Duration) -> Duration {
        (wanted - held).magnitude > Limits.lipSyncTolerance || wanted == .zero ? wanted : held
    }

    private static func age(of captured: NTPTimestamp, at instant: Instant) -> Duration {
        SystemClock.wallClockAnchor().ntp(at: instant).duration(since: captured)
    }

    /// Into what a viewer is told.
    func add(to statistics: inout ViewStatistics) {
        statistics.videoLag = lags.quantile(0.5)
        statistics.videoLag95 = lags.quantile(0.95, of: { $0.magnitude })
        statistics.videoDelay = videoDelays.quantile(0.5)
        statistics.audioDelay = audioDelays.quantile(0.5)
    }
}
