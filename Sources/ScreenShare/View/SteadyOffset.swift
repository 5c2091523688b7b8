import Timebase

/// A figure that is measured with jitter and holds still: it is known once it has been measured for a while, and moves in a
/// silence, or where it has been off for long, not a little at a time.
///
/// A tone that a piece is cut out of cracks, and a picture that stands a little longer is not seen: where it is off, the
/// pictures are to move, and it only where that did not help.
///
/// The first pictures are not to be trusted: a joiner's are shown faster than they were taken, and those of a film leave at
/// times of their own until its clock is known.
///
///     unknown ──what is measured agrees, or a second has passed──► right
///
///     right ───off for 250 ms──► wanted (the pictures are to move) ──the next picture──► tried
///     wanted ──no picture for 1.2 s, then off for 250 ms──► right (the sound has moved)
///     tried ───off by as much for 250 ms──► right (the sound has moved)
///       └──────off by something else for 250 ms──► wanted
///
/// From each it is right again where the value is measured again, or the sound has moved in a silence. What pictures can't
/// do, such as move by more than a tenth of a second, is not wanted of them: the sound moves.
struct SteadyOffset {
    /// Nil while it is unknown.
    private(set) var value: Int64?
    /// What was measured last.
    private var recent: [(measured: Int64, at: Instant)] = []
    private var firstAt: Instant?
    /// Since when it has been off, where nothing has come of that yet.
    private var doubtedSince: Instant?
    private var mending = Mending.none

    /// What becomes of the pictures where it is off.
    private enum Mending {
        case none
        /// They are to be so much later, from the next one on.
        case wanted(Int64, since: Instant)
        /// They were to move by that, and it has not been right since.
        case tried(Int64)
    }

    let picturesMoveBack: Bool

    /// - Parameter picturesMoveBack: they can be earlier than they were, too.
    init(picturesMoveBack: Bool = true) {
        self.picturesMoveBack = picturesMoveBack
    }

    mutating func note(_ measured: Int64, at now: Instant) {
        firstAt = firstAt ?? now
        recent.removeAll { $0.at < now - Self.agreementTime }
        recent.append((measured, now))
        guard let value else { return advance(to: now) }
        let off = measured.subtractingSaturating(value)
        if off.magnitude <= Self.tolerance { return hold(at: value) }
        if case .wanted(_, let since) = mending, canMove(off), now - since < Self.longestWait {
            return mending = .wanted(off, since: since)
        }
        let since = doubtedSince ?? now
        doubtedSince = since
        guard now - since >= Self.patience else { return }
        guard canMove(off), mayHelp(off) else { return hold(at: measured) }
        mending = .wanted(off, since: now)
        doubtedSince = nil
    }

    /// It is right there.
    private mutating func hold(at value: Int64) {
        self.value = value
        mending = .none
        doubtedSince = nil
    }

    /// Where it is off by what the pictures were to move by, they could not.
    private func mayHelp(_ off: Int64) -> Bool {
        switch mending {
        case .none: true
        case .wanted: false
        case .tried(let tried): off.subtractingSaturating(tried).magnitude > Self.tolerance
        }
    }

    private func canMove(_ off: Int64) -> Bool { off.magnitude <= Self.largestShift && (off > 0 || picturesMoveBack) }

    /// By how much later pictures are to be from the next one on, in ticks of 1/48000 s; once.
    mutating func takeShift() -> Int64? {
        guard case .wanted(let off, _) = mending else { return nil }
        mending = .tried(off)
        doubtedSince = nil
        for index in recent.indices { recent[index].measured = recent[index].measured.subtractingSaturating(off) }
        return off
    }

    /// Time has passed, whether or not something was measured.
    mutating func advance(to now: Instant) {
        guard value == nil, let firstAt, now - firstAt >= Self.shortestDoubt else { return }
        let since = recent.filter { $0.at >= now - Self.agreementTime }
        let measured = since.map(\.measured)
        let agrees = (measured.max() ?? .max).subtractingSaturating(measured.min() ?? .min) <= Self.agreement
        // What stands before a silence tells nothing of what was corrected since: the next sound does, or time.
        let isFresh = since.last.map { now - $0.at <= Self.freshness } ?? false
        if agrees && isFresh || now - firstAt >= Self.longestDoubt { settle() }
    }

    /// Takes what is known now.
    mutating func settle() {
        if value == nil { value = middle }
    }

    /// There is silence, of which some can be left out, or more put in: whole pieces as Opus has them.
    mutating func rest() {
        guard let value, let middle else { return }
        let pieces = middle.subtractingSaturating(value) / Self.shortestPiece
        guard pieces.magnitude > 1 else { return }
        hold(at: value &+ pieces * Self.shortestPiece)
    }

    /// Of the last few: what was measured before them may have changed.
    private var middle: Int64? {
        let last = recent.suffix(Self.enough).map(\.measured).sorted()
        return last.isEmpty ? nil : last[last.count / 2]
    }

    /// In ticks of 1/48000 s: 25 ms, which nobody notices (ITU-R BT.1359 has the threshold at 45 ms). It is more than the
    /// pictures' times move by when the sharer takes on a film's own clock, half a picture at 24 a second: for that, no
    /// sound is cut.
    private static let tolerance: UInt64 = 1200
    private static let patience = Duration.milliseconds(250)
    /// A tenth of a second: more is not the pictures' grid, but a sharer whose clocks have moved.
    private static let largestShift: UInt64 = 4800
    /// On a still screen the next picture is a second away.
    private static let longestWait = Duration.milliseconds(1200)
    /// Likewise: 5 ms, a quarter of what a recording's sound and pictures may be apart.
    private static let agreement: Int64 = 240
    /// 2.5 ms: the shortest frame of Opus (RFC 6716 § 2.1.4), which a file's silence is made of.
    private static let shortestPiece: Int64 = 120
    /// A tenth of a second in packets of 20 ms.
    private static let enough = 5
    private static let agreementTime = Duration.milliseconds(400)
    private static let freshness = Duration.milliseconds(100)
    private static let shortestDoubt = Duration.milliseconds(500)
    /// Recorders keep the sound for as long.
    private static let longestDoubt = Duration.seconds(1)
}
