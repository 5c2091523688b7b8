import Media
import Timebase

/// The capture thread's loop in virtual time: a source whose changes come at given moments, the adapter, and an encoder
/// that takes a while and says how coarse it was.
struct CaptureLoop {
    struct Sent: Equatable {
        enum Kind: Equatable {
            case new, again, keepalive
        }

        let kind: Kind
        let at: Instant
        let mediaTime: MediaTime
        /// How long the newest picture had been there when it was read.
        let staleness: Duration
        /// The number of the newest change that showed something new.
        var picture = 0
        /// What plays was known.
        var isLocked = false
    }

    var adapter: FrameRateAdapter
    var now: Instant
    var sent: [Sent] = []
    var outboxFull: (Instant) -> Bool = { _ in false }
    var keyframeNeeded: (Instant) -> Bool = { _ in false }
    /// The quantisers that the encoder reaches, from one unit of a picture to the next.
    var quantisers: (_ pass: Int) -> Double = { _ in 20 }
    var encodingTime = Duration.milliseconds(3)
    var lookingTime = Duration.milliseconds(4)
    /// The source can be asked for what follows upon a change.
    var tellsMore = true
    /// The source says when it drew what it told of, in milliseconds of a clock of its own.
    var tellsWhen = false
    private var changes: AnyIterator<Instant>
    private var nextChange: Instant
    private var newest: Instant
    private var pass = 0
    private var hasUnread = false
    /// When the last change came, until it is looked at.
    private var unseenChange: Instant?
    /// When that was drawn which was told of.
    private var drawnAt = Instant.zero
    /// Something beside what plays, such as the pointer, changes with every change.
    var changesBeside = false
    /// Which changes show something new, by number; the others draw the same once more.
    var isNew: (_ change: Int) -> Bool = { _ in true }
    private var changeCount = 0
    private var hasNews = false
    /// A change was looked at and has not left.
    private var hasLooked = false
    private var newestPicture = 0
    /// What was read last.
    private var picture = (number: 0, since: Instant.zero)

    init(rate: FrameRate, pace: FramePace = .fixed, start: Instant = .zero, changes: some IteratorProtocol<Instant>) {
        var changes = changes
        adapter = FrameRateAdapter(rate: rate, pace: pace, start: start)
        now = start
        newest = start
        nextChange = changes.next() ?? .distantFuture
        self.changes = AnyIterator(changes)
    }

    /// Nothing changes from now on.
    mutating func changesEnd() {
        changes = AnyIterator { nil }
        nextChange = .distantFuture
    }

    mutating func run(until end: Instant) {
        while now < end {
            let isKeyframe = keyframeNeeded(now)
            let decision = adapter.decide(at: now, outboxFull: outboxFull(now), keyframeNeeded: isKeyframe)
            switch decision {
            case .encode(let time): encode(.new, time, isKeyframe: isKeyframe)
            case .encodeAgain(let time): encode(.again, time, isKeyframe: isKeyframe)
            case .catchUp(let time), .keepalive(let time): note(.keepalive, time)
            case .wait(let until): wait(until: min(until, end))
            }
        }
    }

    private mutating func encode(_ kind: Sent.Kind, _ time: MediaTime, isKeyframe: Bool) {
        if kind == .new {
            // What was looked at is what leaves.
            if !hasLooked { read() }
            hasLooked = false
            pass = 0
        } else {
            pass += 1
        }
        note(kind, time)
        adapter.encoded(quantiser: quantisers(pass), isNewPicture: kind == .new)
        if isKeyframe { adapter.keyframeMade() }
        now += encodingTime
    }

    private mutating func note(_ kind: Sent.Kind, _ time: MediaTime) {
        sent.append(
            Sent(
                kind: kind, at: now, mediaTime: time, staleness: now - picture.since, picture: picture.number,
                isLocked: adapter.cadence != nil))
    }

    /// A source says once that something changed, until it is read.
    private mutating func wait(until deadline: Instant) {
        absorbChanges()
        switch (adapter.attention, unseenChange) {
        case (.slot(let moreFrom), _): waitForSlot(moreFrom: moreFrom, until: deadline)
        case (.lookAtEach, .some):
            guard now + lookingTime < deadline else { return now = max(now, deadline) }
            now += lookingTime
            see()
        case (.lookFirst, let changedAt?):
            now += lookingTime
            adapter.looked(
                hasNews ? .picture : changesBeside ? .beside : .repeated,
                changedAt: changedAt, drawnAt: tellsWhen ? drawnAt : nil)
            hasLooked = hasLooked || hasNews || changesBeside
            see()
        case (.change, _), (.lookAtEach, nil), (.lookFirst, nil): waitForChange(until: deadline)
        }
    }

    private mutating func waitForChange(until deadline: Instant) {
        if !hasUnread, nextChange <= deadline {
            now = max(now, nextChange)
            absorbChanges()
        }
        guard hasUnread else { return now = max(now, deadline) }
        if !adapter.looksFirst { adapter.changed(at: now) }
        unseenChange = now
    }

    /// The source is asked for more only just before the slot.
    private mutating func waitForSlot(moreFrom: Instant?, until deadline: Instant) {
        let from = tellsMore ? moreFrom ?? deadline : deadline
        if now < from { return now = max(now, min(from, deadline)) }
        guard nextChange <= deadline else { return now = max(now, deadline) }
        now = max(now, nextChange)
        absorbChanges()
        adapter.changedAgain(at: now)
    }

    private mutating func read() {
        absorbChanges()
        see()
    }

    /// Takes the picture over.
    private mutating func see() {
        picture = (newestPicture, newest)
        if let unseenChange, hasNews { adapter.sawSomethingNew(changedAt: unseenChange) }
        hasUnread = false
        hasNews = false
        unseenChange = nil
    }

    private mutating func absorbChanges() {
        while nextChange <= now {
            if !hasUnread { drawnAt = Instant(nanoseconds: nextChange.nanoseconds / 1_000_000 * 1_000_000) }
            if isNew(changeCount) {
                newest = nextChange
                newestPicture = changeCount
                hasNews = true
            }
            changeCount += 1
            hasUnread = true
            nextChange = changes.next() ?? .distantFuture
        }
    }
}

extension CaptureLoop {
    var frames: [Sent] { sent.filter { $0.kind == .new } }

    /// How long after its media time it left.
    func lateness(of unit: Sent) -> Duration { unit.at - (.zero + unit.mediaTime.elapsed) }

    /// Distances of media times, in ticks.
    var distances: [Int64] { zip(sent.dropFirst(), sent).map { $0.mediaTime.ticks - $1.mediaTime.ticks } }
}

/// A source with a rate of its own; each change a little early or late.
struct RegularChanges<Generator: RandomNumberGenerator>: IteratorProtocol {
    private let rate: FrameRate
    private let first: Instant
    private let jitter: Duration
    private var generator: Generator
    private var index: Int64 = 0

    init(rate: FrameRate, from first: Instant, jitter: Duration = .zero, generator: Generator) {
        self.rate = rate
        self.first = first
        self.jitter = jitter
        self.generator = generator
    }

    mutating func next() -> Instant? {
        defer { index += 1 }
        let nanoseconds = jitter.nanoseconds
        let offset = nanoseconds > 0 ? Int64.random(in: -nanoseconds...nanoseconds, using: &generator) : 0
        return first + rate.time(ofFrame: index) + .nanoseconds(offset)
    }
}
