import CXCB
import Media
import SystemClock
import Timebase

/// A screen, monitor, region or window of an X server as a source of pictures. Used by one thread.
///
/// After `waitForChange` said `.changed` it says so again at once until the picture is read: whoever wants to pause
/// between pictures does that elsewhere. An unchanged screen costs nothing but the caller's own deadlines.
package final class ScreenSource: FrameSource {
    /// What the source did, for tests and statistics.
    package struct Counters: Hashable, Sendable {
        /// Pictures fetched, whole or in part, and the rows in them.
        package var grabs = 0
        package var rows = 0
        /// Fetched again because more had changed than was known.
        package var repeats = 0
        package var pointerLooks = 0
        /// How often the thread woke up.
        package var wakeups = 0
    }

    /// The present size, or the last one while the source is hidden.
    package internal(set) var size: PixelSize
    package internal(set) var waited = Duration.zero
    let connection: XConnection
    let subject: any Subject
    let damage: xcb_damage_damage_t
    let showsCursor: Bool
    /// Nil while there is nothing to see.
    var surface: Surface?
    var picture: Picture?
    var tracker = DamageTracker()
    /// The server's clock on ours. It does not count what the machine sleeps, and may be another machine's.
    var clock = SourceClock()
    /// Changed in the picture since it was last lent: by the screen, and by drawing the pointer.
    var undelivered = DamagedAreas()
    var undeliveredPointer = PixelRect.nothing
    var overlay = CursorOverlay()
    var watch: PointerWatch
    var lastPointer: PixelPoint?
    var isShapeStale = true
    /// The source may be elsewhere, or of another size.
    var isStale = true
    var hiddenReason = ""
    var isHiddenReported = false
    /// What it shows is gone, and the X server is not: `hiddenReason` says so.
    var isClosed = false
    /// The request since which damage is of what the source shows now.
    var lastReplaced: UInt32 = 0
    /// Set once the source is gone for good.
    var ending: CaptureError?
    /// The request since which damage is more than what was told when it was asked for; nil while it was not.
    var askedForMore: UInt32?
    var hasMore = false
    var isMemoryPrivate = false
    var refusals = 0
    /// Not asked for anything before: it refused several times.
    var pausedUntil = Instant.zero
    var patience = ReadPatience()
    var counted = Counters()
    private var notices: [String] = []

    /// - Parameters:
    ///   - display: such as ":0"; by default that of the environment.
    ///   - showsCursor: draws the pointer into the picture.
    /// - Throws: `unavailable` with what exists instead, or `unsupported`.
    package init(display: String? = nil, target: CaptureTarget, showsCursor: Bool = true) throws(CaptureError) {
        let deadline = SystemClock.now() + Limits.connectTime
        connection = try XConnection.open(display: display, until: deadline)
        guard connection.extensions.damage != nil else {
            throw .unsupported("The X server of display \(connection.display) has no DAMAGE extension.")
        }
        subject = try Self.subject(target, on: connection, until: deadline)
        size = subject.nominalSize
        self.showsCursor = showsCursor && connection.extensions.fixes != nil
        watch = PointerWatch(hasEvents: connection.extensions.input != nil, now: SystemClock.now())
        damage = connection.makeIdentifier()
        // Each area that is damaged is told once until all is taken back: a film by itself, though its box with what else
        // changes far from it holds half the screen. That costs no round trip, and no event for what is damaged already.
        xcb_damage_create(
            connection.handle, damage, subject.watched, UInt8(XCB_DAMAGE_REPORT_LEVEL_DELTA_RECTANGLES.rawValue))
        noteReplaced()
        if showsCursor { watchCursor() }
        if subject.watched == connection.root,
            let doubt = SessionKind.doubt(about: connection.display, hasExtension: connection.extensions.isXwayland)
        {
            notice(doubt)
        }
        try find(until: deadline)
    }

    /// Messages for the person who shares, each of them once.
    package func takeNotices() -> [String] {
        defer { notices.removeAll() }
        return notices
    }

    package func followPointer(every period: Duration) { watch.period = period }

    package var counters: Counters {
        var counters = counted
        counters.wakeups = connection.wakeups
        return counters
    }

    func notice(_ text: String) {
        if notices.count < Limits.notices { notices.append(text) }
    }

    private static func subject(
        _ target: CaptureTarget, on connection: XConnection, until deadline: Instant
    ) throws(CaptureError) -> any Subject {
        if case .window(let text) = target {
            let found = try connection.findWindow(text, until: deadline)
            return try WindowSubject(found.window, title: found.title, on: connection, until: deadline)
        }
        let kind = try connection.require { () throws(XFailure) in try SessionKind(of: connection, until: deadline) }
        if kind == .xwayland { throw .unavailable("This is a Wayland session. \(SessionKind.advice)") }
        return try RootSubject(target, on: connection, until: deadline)
    }

    private func watchCursor() {
        guard connection.extensions.fixes != nil else {
            return notice("The X server has no XFIXES extension: the pointer is not shown.")
        }
        xcb_xfixes_select_cursor_input(
            connection.handle, connection.root, XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR.rawValue)
        listenForMotion(true)
    }

    /// Finds out where the source is, so that `size` is known from the start. A source that changes just now is left
    /// to the first wait.
    private func find(until deadline: Instant) throws(CaptureError) {
        try connection.require { () throws(XFailure) in
            for _ in 0..<Limits.settleTries where isStale { try settle(until: deadline) }
        }
        if let ending { throw ending }
    }
}

// MARK: - Waiting

extension ScreenSource {
    package func waitForChange(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> SourceEvent {
        do throws(XFailure) {
            return try BrokenPipe.held { () throws(XFailure) in try awaitNews(until: deadline, wakeup: wakeup) }
        } catch {
            throw captureError(error)
        }
    }

    /// The server does not tell again of what it has told; so it is asked to begin anew.
    package func waitForMore(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> Bool? {
        do throws(XFailure) {
            return try BrokenPipe.held { () throws(XFailure) in
                if askedForMore == nil {
                    askedForMore = xcb_damage_subtract(connection.handle, damage, 0, 0).sequence
                    hasMore = false
                }
                try absorbEvents()
                while !hasMore {
                    guard connection.wait(until: deadline, wakeup: wakeup) == .readable else { return false }
                    try absorbEvents()
                }
                askedForMore = nil
                return true
            }
        } catch {
            throw captureError(error)
        }
    }

    private func awaitNews(until deadline: Instant, wakeup: Int32) throws(XFailure) -> SourceEvent {
        while true {
            try absorbEvents()
            let now = SystemClock.now()
            if !connection.isStalled, now >= pausedUntil, let news = try news(at: now, until: deadline) { return news }
            switch connection.wait(until: min(deadline, nextLook(after: now, until: deadline)), wakeup: wakeup) {
            case .readable: continue
            case .wakeup: return quiet
            case .deadline: if SystemClock.now() >= deadline { return quiet }
            }
        }
    }

    /// What there is to report after asking what had to be asked; nil where there is nothing new.
    private func news(at now: Instant, until deadline: Instant) throws(XFailure) -> SourceEvent? {
        let hasTime = deadline - now >= Limits.roundTrip
        do throws(XFailure) {
            try settleInTime(until: deadline)
            if ending != nil { throw .lost }
            // Nobody knows yet whether there is anything to see.
            if isStale { return nil }
            guard surface != nil else { return hiddenNews() }
            if hasChanged { return .changed }
            if showsCursor, hasTime, isShapeStale || watch.isDue(at: now) { try lookAtPointer(until: deadline) }
        } catch .timedOut {
            return nil
        }
        return hasChanged ? .changed : nil
    }

    /// Looks where the source is while there is time for an answer, and again where it changed meanwhile.
    private func settleInTime(until deadline: Instant) throws(XFailure) {
        while isStale, ending == nil {
            let now = SystemClock.now()
            guard now >= pausedUntil, deadline - now >= Limits.roundTrip else { return }
            try settle(until: deadline)
        }
    }

    private var hasChanged: Bool {
        !tracker.pending.isEmpty || !undelivered.isEmpty || !undeliveredPointer.isEmpty
            || (showsCursor && overlay.needsDrawing(in: size))
    }

    private func hiddenNews() -> SourceEvent? {
        if isHiddenReported { return nil }
        isHiddenReported = true
        return absence
    }

    private var absence: SourceEvent { isClosed ? .ended(hiddenReason) : .hidden(hiddenReason) }

    /// What to say when nothing happened.
    private var quiet: SourceEvent { surface == nil && !isStale ? absence : .idle }

    /// When to do something although nothing happens.
    private func nextLook(after now: Instant, until deadline: Instant) -> Instant {
        if connection.isStalled { return deadline }
        if now < pausedUntil { return pausedUntil }
        // There was no time to look where it is.
        if isStale { return deadline }
        guard showsCursor, surface != nil, deadline - now >= Limits.roundTrip else { return deadline }
        return watch.nextLook
    }

    func captureError(_ failure: XFailure) -> CaptureError {
        if let ending { return ending }
        switch failure {
        case .timedOut, .refused: return .timedOut
        case .lost: return .lost("The X server of display \(connection.display) is gone.")
        }
    }
}
