import Media
import Timebase

/// One source of sound through its losses: it is opened, read, and opened again when it is gone.
struct AudioFeed {
    /// What a person should know.
    enum News: Hashable, Sendable {
        case lost(String)
        case back
    }

    let kind: AudioKind
    private let open: AudioSourceFactory
    private var source: (any AudioSource)?
    private var pauses = Backoff(AudioPipelineLimits.reopenPauses)
    private var openAt = Instant.zero
    /// Its failure was told.
    private var hasFailed = false
    /// It was told that there is no sound of this kind: of this source, or of one before it.
    private var isToldLost: Bool
    /// Since when the source has given sound; nil: it has given none yet.
    private var givesSince: Instant?
    /// It has for so long that it is not broken, whatever ends it.
    private var isProven = false
    /// One before it ended right behind its first sound: it is back only once it is proven.
    private var isDoubted = false
    var hearing: Hearing

    /// - Parameters:
    ///   - isToldLost: of a source before it a loss was told, and nothing since.
    ///   - since: nothing from before is heard.
    init(
        _ kind: AudioKind, open: @escaping AudioSourceFactory, isToldLost: Bool = false, since: Instant = .zero
    ) {
        self.kind = kind
        self.open = open
        self.isToldLost = isToldLost
        hearing = Hearing(since: since)
    }

    /// What poll(2) is to wait for; nothing where short pieces come: those are read with each packet.
    var pollDescriptors: [PollEntry] {
        guard let source, !source.givesShortPieces else { return [] }
        return source.pollDescriptors
    }

    /// When the source is to be opened; never, while it is.
    var due: Instant { source == nil ? openAt : .distantFuture }

    /// Takes what there is.
    ///
    /// - Parameter take: is given what may be heard, as it was captured, nil where that is nothing; and a block of two
    ///   channels that is silent where it may not be heard.
    mutating func read(at now: Instant, _ take: (AudioBlock?, AudioBlock) -> Void) -> News? {
        if source == nil, now >= openAt {
            source = open()
            (givesSince, isProven) = (nil, false)
        }
        guard let source else { return nil }
        do throws(AudioSourceError) {
            var news: News?
            // Whoever pushes faster than this reads must not keep the thread.
            var taken = Duration.zero
            while taken < AudioPipelineLimits.turn, let block = try source.read(at: now) {
                let hidden = hearing.hiddenFrames(of: block, at: now)
                var stereo = block.stereo(source.channelMap.heard(as: kind))
                hearing.hide(hidden, of: &stereo)
                take(block.without(first: hidden), stereo)
                taken += max(.microseconds(100), block.format.duration(frames: block.frameCount))
                if heard(at: now) { news = .back }
            }
            return news
        } catch {
            return lose(error, at: now)
        }
    }

    /// - Returns: whether it is to be told that there is sound again.
    private mutating func heard(at now: Instant) -> Bool {
        let since = givesSince ?? now
        givesSince = since
        if now - since >= AudioPipelineLimits.proof {
            pauses.reset()
            (isProven, isDoubted) = (true, false)
        }
        guard isToldLost, !isDoubted else { return false }
        (hasFailed, isToldLost) = (false, false)
        return true
    }

    /// The first failure is told; it may take many tries. What worked until now may be there again at once, as where
    /// headphones are plugged in.
    private mutating func lose(_ error: AudioSourceError, at now: Instant) -> News? {
        source = nil
        openAt = isProven ? now : now + pauses.next()
        if givesSince != nil, !isProven { isDoubted = true }
        defer { (hasFailed, isToldLost) = (true, true) }
        return hasFailed ? nil : .lost(error.text)
    }

    /// Lets the device go until it is read again.
    mutating func close() {
        source = nil
        openAt = .zero
    }
}

extension AudioBlock {
    /// With all its channels in two.
    fileprivate func stereo(_ map: ChannelMap) -> AudioBlock {
        // A format that changed just now has no map yet.
        let map = map.channels == format.channels ? map : ChannelMap(channels: format.channels)
        return AudioBlock(
            format: AudioFormat(sampleRate: format.sampleRate, channels: 2), samples: map.stereo(samples),
            capturedAt: capturedAt, longestPiece: longestPiece)
    }
}

/// Begins to open a source of sound, on the thread that will read it.
typealias AudioSourceFactory = @Sendable () -> any AudioSource

extension AudioSourceError {
    /// For a person.
    var text: String {
        switch self {
        case .unavailable(let text), .lost(let text), .unsupported(let text): text
        }
    }
}
