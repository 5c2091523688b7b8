import Media
import PeerCore
import PixelConversion
import RTP
import SystemClock
import Timebase
import VideoCodec

/// What the thread of pictures tells its session.
enum VideoPipelineEvent: Sendable {
    case geometry(source: PixelSize, picture: PixelSize)
    case hidden(String)
    /// It shows nothing any more; another may take its place.
    case sourceEnded(String)
    case visible
    case content(Content, Cadence?)
    case preset(X264Configuration.Preset)
    case notice(String)
    /// The source or the encoder is gone; the thread has ended.
    case failed(ShareError)
}

/// The one thread of a share's pictures: waits for the source, decides on the frame grid, converts once, encodes once
/// per lane, hands over. Everything in here belongs to that thread.
final class VideoPipeline {
    let controls: VideoControls
    let counters: VideoCounters
    let deliver: @Sendable (PacketizedUnit, LaneKey) -> Void
    /// For the same picture made sharper, and for what is new.
    private let isOutboxFull: @Sendable (_ news: Bool) -> Bool
    /// Whether a rung's viewers are all behind.
    let isCongested: @Sendable (Int, _ news: Bool) -> Bool
    let taps: SampleTaps
    let report: @Sendable (VideoPipelineEvent) -> Void

    var commands: VideoCommands
    var source: any FrameSource
    var adapter: FrameRateAdapter
    /// What the adapter goes by.
    var grid: (rate: FrameRate, pace: FramePace)
    var converter: PictureConverter?
    var watch: ContentWatch?
    var lanes: [LaneKey: EncoderLane] = [:]
    var shapes: [LaneKey: RungShape] = [:]
    var effort: EncoderEffort
    /// That of the lanes of slower viewers, whose pictures come after the others'.
    var effortBelow: SlowerEffort
    /// Their preset as it was told last; nil where it is the others'.
    var toldBelow: X264Configuration.Preset?
    /// When the others' were done; nil where there are no slower viewers.
    var ownEnd: Instant?
    /// What looks at changes take before their pictures' slots.
    var work = PictureWork()
    /// Why there is nothing to see now.
    var hiddenBecause: String?
    var isHidden: Bool { hiddenBecause != nil }
    /// That was said of another source, in whose place this one has come.
    var isHiddenOutdated = false
    var capturedAt = Instant.zero
    var unseen = UnseenChange()
    /// What was glanced at, and not converted yet.
    var glanced: UInt64 = 0
    var unconverted = PixelRect.nothing
    /// Converted, and not given yet to who reads pictures.
    var isUnsampled = false
    /// Converted and not encoded yet.
    var unsentDamage = PixelRect.nothing
    /// The picture was converted for the frame that is due next.
    var isLookedAt = false
    var sizes = SizeGate()
    /// The source's and the picture's, as they were told last.
    private var toldSizes: (source: PixelSize, picture: PixelSize)?
    var motion = MotionWatch()

    init(
        controls: VideoControls, counters: VideoCounters, source: any FrameSource,
        deliver: @escaping @Sendable (PacketizedUnit, LaneKey) -> Void,
        isOutboxFull: @escaping @Sendable (_ news: Bool) -> Bool,
        isCongested: @escaping @Sendable (Int, _ news: Bool) -> Bool, taps: SampleTaps,
        report: @escaping @Sendable (VideoPipelineEvent) -> Void
    ) {
        self.controls = controls
        self.counters = counters
        self.source = source
        self.deliver = deliver
        self.isOutboxFull = isOutboxFull
        self.isCongested = isCongested
        self.taps = taps
        self.report = report
        // What waits there is done in the first turn.
        commands = controls.present
        grid = commands.grid(for: .app)
        effort = EncoderEffort(commands.preset)
        effortBelow = SlowerEffort(commands.preset)
        adapter = FrameRateAdapter(rate: grid.rate, pace: grid.pace, start: SystemClock.now())
        self.source.followPointer(every: commands.pointerPeriod)
    }

    /// Runs until it is told to stop, or the source is lost.
    func run() {
        defer { closeLanes() }
        do throws(ShareError) {
            while try step() {}
        } catch {
            report(.failed(error))
        }
    }

    // MARK: One turn

    private func step() throws(ShareError) -> Bool {
        controls.wakeup.drain()
        apply(controls.take())
        if commands.stops { return false }
        let now = SystemClock.now()
        watch?.advance(to: now)
        applyContent()
        guard !commands.isPaused, !commands.lanes.isEmpty || commands.samplers > 0 else {
            if !commands.isPaused { try prepare() }
            try idle()
            return true
        }
        if isHidden, converter == nil {
            try handle(poll(until: now + VideoPipelineLimits.idlePeriod))
            return true
        }
        let isFull = isOutboxFull(false)
        let decision = adapter.decide(
            at: now, outboxFull: isFull, yields: isFull && !isOutboxFull(true), keyframeNeeded: keyframeIsDue(at: now))
        switch decision {
        case .encode(let time):
            if let waiting = try encodeNew(time, at: now) { keepUp(since: now + waiting) }
        case .encodeAgain(let time): try encodeAgain(time, at: now)
        case .catchUp(let time): try catchUp(time, at: now)
        case .keepalive(let time): try keepalive(time, at: now)
        case .wait(let until): try wait(until: min(until, nextKeyframe(after: now)), at: now)
        }
        return true
    }

    var watchedLanes: [EncoderLane] { commands.lanes.compactMap { lanes[$0] } }
    private func keyframeIsDue(at now: Instant) -> Bool {
        // While there is nothing new to be seen, whoever comes to a new lane gets the last picture all the same.
        let isDueAnyway = (isHidden || adapter.retries) && converter != nil
        return commands.lanes.contains { key in
            !isHeldBack(key) && (lanes[key].map { $0.gate.isDue(at: now) } ?? isDueAnyway)
        }
    }

    /// When the next wanted keyframe is allowed; one that is due already is waited for with its frame.
    private func nextKeyframe(after now: Instant) -> Instant {
        watchedLanes.compactMap(\.gate.dueAt).filter { $0 > now }.min() ?? .distantFuture
    }

    /// Nobody watches, or the share is paused: only looks whether the source is still there.
    private func idle() throws(ShareError) {
        isLookedAt = false
        controls.wakeup.wait(atMost: VideoPipelineLimits.idlePeriod)
        // A screen's source asks its server only where there is time for an answer.
        try tellVisibility(poll(until: SystemClock.now() + VideoPipelineLimits.idleLook))
        adapter.changedUnwatched(at: source.newestPicture() ?? SystemClock.now())
        // Who comes next is told the level for it.
        let size = source.size
        if size.area > 0, size != counters.now.source { counters.update { $0.source = size } }
    }

    /// A viewer is connecting: the encoder is opened meanwhile, at the size that the source has now.
    private func prepare() throws(ShareError) {
        guard commands.expected.contains(where: { lanes[$0] == nil }) else { return }
        do throws(CaptureError) { try convert(source.read()) } catch { _ = try tolerate(error) }
        // It has not seen this.
        watch = nil
        guard let size = converter?.picture.size else { return }
        do throws(CodecError) {
            for key in commands.expected { _ = try lane(key, size, at: SystemClock.now()) }
        } catch {
            throw error.shareError
        }
    }

    // MARK: Pictures

    /// - Returns: how long the picture was waited for; nil where nothing could be read.
    private func encodeNew(_ time: MediaTime, at now: Instant) throws(ShareError) -> Duration? {
        var waiting = Duration.zero
        // What was looked at is what leaves; what came since is looked at next.
        if !(adapter.looksFirst && isLookedAt) {
            guard let own = try readNew() else { return nil }
            waiting = own
        }
        isLookedAt = false
        try encode(damage: unsentDamage, time, isNew: true, at: now)
        unsentDamage = .nothing
        return waiting
    }

    /// - Returns: how long it was waited for; nil where nothing could be read.
    func readNew() throws(ShareError) -> Duration? {
        guard let frame = try read() else {
            // What is hidden tells when it is back.
            if !isHidden { adapter.couldNotRead(at: SystemClock.now()) }
            return nil
        }
        let waiting = source.waited
        work.waited(for: waiting)
        capturedAt = frame.moment
        if grid.pace == .fixed {
            glance(at: frame, changedAt: unseen.first)
            convert(frame)
        } else {
            _ = convertWatching(frame)
        }
        unseen = UnseenChange()
        return waiting
    }

    func encodeAgain(_ time: MediaTime, at now: Instant) throws(ShareError) {
        guard converter != nil else {
            _ = try encodeNew(time, at: now)
            return
        }
        holdUntold()
        try encode(damage: .nothing, time, isNew: false, at: now)
    }

    // MARK: Commands

    private func apply(_ next: VideoCommands) {
        let now = SystemClock.now()
        if let next = next.source { show(next, at: now) }
        // The rate stands in the stream's parameters.
        if next.frameRate != commands.frameRate { restart(at: now) }
        // A pause leaves nothing of before: no cached picture, no reference.
        if next.isPaused != commands.isPaused { forget(at: now) }
        if next.policy != commands.policy {
            // What was looked at for its slot has the size of before.
            isLookedAt = false
            adapter.changed(at: now)
        }
        // The standard lane stays open for the next viewer; others go with their last one.
        lanes = lanes.filter { $0.key == .standard || next.expected.contains($0.key) }
        shapes = shapes.filter { next.expected.contains($0.key) }
        for (key, wish) in next.keyframes {
            // One of another profile is of no use to whoever asks.
            let isServed = lanes[key]?.profile == profile(of: key, next)
            switch wish {
            case .asked(let instant): lanes[key]?.gate.request(asked: isServed ? instant : .distantFuture)
            case .withdrawn: lanes[key]?.gate.withdraw()
            }
        }
        if next.samplers > commands.samplers { isUnsampled = true }
        if !next.lanes.isSubset(of: commands.lanes) || next.samplers > commands.samplers {
            adapter.changedUnwatched(at: source.newestPicture() ?? now)
        }
        commands = next
        source.followPointer(every: next.pointerPeriod)
        next.acknowledgements.forEach { $0() }
        counters.update { $0.lanes = lanes.count }
    }

    private func show(_ next: NextSource, at now: Instant) {
        do throws(CaptureError) {
            source = try next.open(controls.wakeup)
            let size = source.size
            counters.update { $0.source = size }
            forget(at: now)
            isHiddenOutdated = isHidden
            next.answer(.success(()))
        } catch {
            next.answer(.failure(error.shareError))
        }
    }

    /// The next picture is read anew and is a keyframe of a new encoder.
    private func restart(at now: Instant) {
        closeLanes()
        isLookedAt = false
        adapter.reset()
        adapter.changed(at: now)
    }

    private func closeLanes() {
        lanes = [:]
        counters.update { $0.lanes = 0 }
    }

    /// After a pause, or of another source, both may be what they were.
    func tell(source: PixelSize, picture: PixelSize) {
        if let told = toldSizes, told == (source, picture) { return }
        toldSizes = (source, picture)
        report(.geometry(source: source, picture: picture))
    }

    /// No picture of before is left.
    func forget(at now: Instant) {
        converter = nil
        unsentDamage = .nothing
        unseen = UnseenChange()
        restart(at: now)
    }
}

enum VideoPipelineLimits {
    /// How often a source that nobody watches is looked after: an X server that vanished is noticed within 2 s.
    static let idlePeriod = Duration.milliseconds(500)
    /// What finding out may take then, whether it is hidden and of which size: some round trips to a server far away.
    static let idleLook = Duration.milliseconds(50)
    /// No picture takes longer from its source to its encoder.
    static let oldestPicture = Duration.seconds(1)
    /// A look at a change takes a read and a conversion.
    static let lookTime = Duration.milliseconds(3)
    /// Without one a slower rung has its turn with the signs of life alone.
    static let fruitlessTurns = 20
    /// After a read that failed for the moment.
    static let retryPeriod = Duration.milliseconds(30)
}

extension CodecError {
    var shareError: ShareError {
        switch self {
        case .unsupportedParameters(let text), .failed(let text): .codec(text)
        }
    }
}
