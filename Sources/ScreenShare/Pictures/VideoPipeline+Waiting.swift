import Media
import SystemClock
import Timebase

/// When the source changed, as long as nobody has looked.
struct UnseenChange {
    /// Nil where that was looked at, or was not told by the source.
    var first: Instant?
    /// When it changed again behind that, where it was asked.
    var last: Instant?
}

// Waiting: for the source, and for the slots behind it.
extension VideoPipeline {
    /// Waits for the source; behind a pending change only for its slot, unless every change is to be looked at.
    func wait(until deadline: Instant, at now: Instant) throws(ShareError) {
        switch (adapter.attention, unseen.first) {
        case (.slot(let moreFrom), _): try waitForSlot(moreFrom: moreFrom, until: deadline, at: now)
        case (.lookAtEach, let changedAt?): try look(at: changedAt, until: deadline)
        case (.lookFirst, let changedAt?): try lookFirst(at: changedAt, until: deadline)
        // One that was kept to be looked at first, and could not be before the run ended. The deadline knows nothing of it.
        case (.change, let changedAt?) where !isHidden: adapter.changed(at: changedAt)
        case (.change, _), (.lookAtEach, nil), (.lookFirst, nil): try handle(poll(until: deadline))
        }
    }

    /// The slots trail what is new of the source: what changes just before one leaves as soon as it is drawn.
    private func waitForSlot(moreFrom: Instant?, until deadline: Instant, at now: Instant) throws(ShareError) {
        let from = moreFrom ?? deadline
        if now < from { return controls.wakeup.wait(atMost: min(from, deadline) - now) }
        let drawn = unseen.last.map { $0 + MediaLimits.drawingPause } ?? deadline
        if try changesAgain(until: min(drawn, deadline)) { return unseen.last = SystemClock.now() }
        if let last = unseen.last { adapter.changedAgain(at: last) }
        unseen.last = nil
    }

    func handle(_ event: SourceEvent) {
        tellVisibility(event)
        guard event == .changed else { return }
        let now = SystemClock.now()
        if !adapter.looksFirst { adapter.changed(at: now) }
        unseen = UnseenChange(first: now)
    }

    /// Tells whether there is something to see, where that has changed.
    func tellVisibility(_ event: SourceEvent) {
        switch event {
        case .changed: reveal()
        case .hidden, .ended: tellAbsence(event)
        case .idle: if isHiddenOutdated { reveal() }
        }
    }

    /// Tells where there is nothing to see; what can't be read for the moment may be there all the same.
    func tellAbsence(_ event: SourceEvent) {
        switch event {
        case .hidden(let text): hide(text)
        case .ended(let text): noteEnd(text)
        case .changed, .idle: break
        }
    }

    func poll(until deadline: Instant) throws(ShareError) -> SourceEvent {
        do {
            let event = try source.waitForChange(until: deadline, wakeup: controls.wakeup.descriptor)
            for text in source.takeNotices() { report(.notice(text)) }
            return event
        } catch {
            return try tolerate(error)
        }
    }

    /// Waits for what follows upon a change.
    func changesAgain(until deadline: Instant) throws(ShareError) -> Bool {
        do throws(CaptureError) {
            if let more = try source.waitForMore(until: deadline, wakeup: controls.wakeup.descriptor) { return more }
        } catch { _ = try tolerate(error) }
        controls.wakeup.wait(atMost: deadline - SystemClock.now())
        return false
    }

    /// What can pass is waited for; what can't ends the share.
    func tolerate(_ error: CaptureError) throws(ShareError) -> SourceEvent {
        switch error {
        case .timedOut: return .idle
        case .unavailable(let text), .lost(let text), .unsupported(let text): throw .source(text)
        }
    }

    private func hide(_ text: String) {
        isHiddenOutdated = false
        if text == hiddenBecause { return }
        hiddenBecause = text
        report(.hidden(text))
    }

    /// Nothing of it is sent any more, neither to who joins nor as a sign of life: another source may take its place.
    private func noteEnd(_ text: String) {
        defer { isHiddenOutdated = false }
        if text == hiddenBecause, !isHiddenOutdated { return }
        hiddenBecause = text
        forget(at: SystemClock.now())
        report(.sourceEnded(text))
    }

    private func reveal() {
        isHiddenOutdated = false
        guard isHidden else { return }
        hiddenBecause = nil
        report(.visible)
    }
}
