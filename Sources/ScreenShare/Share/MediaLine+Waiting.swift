import Media
import SystemClock
import Timebase

// Waiting: for the source, and for the slots behind it.
extension MediaLine {
    /// Waits for the source; behind a pending change only for its slot, unless every change is to be looked at.
    func wait(until deadline: Instant, at now: Instant) throws(ShareError) {
        // One that was kept to be looked at first, and could not be before the run ended. The deadline knows nothing of it.
        if let unseenChange, !adapter.looksFirst, !adapter.hasChange, !isHidden {
            return adapter.changed(at: unseenChange)
        }
        if adapter.hasChange, !adapter.looksFirst {
            if !adapter.wantsLooks { return try waitForSlot(until: deadline, at: now) }
            if let changedAt = unseenChange { return try look(at: changedAt, until: deadline) }
        }
        if adapter.looksFirst, let changedAt = unseenChange { return try lookFirst(at: changedAt, until: deadline) }
        try follow(poll(until: deadline))
    }

    /// The slots trail what is new of the source: what changes just before one leaves as soon as it is drawn.
    private func waitForSlot(until deadline: Instant, at now: Instant) throws(ShareError) {
        let from = adapter.expectsMoreFrom ?? deadline
        if now < from { return controls.wakeup.wait(atMost: min(from, deadline) - now) }
        let drawn = changedAgainAt.map { $0 + MediaLimits.drawingPause } ?? deadline
        if try changesAgain(until: min(drawn, deadline)) { return changedAgainAt = SystemClock.now() }
        if let changedAgainAt { adapter.changedAgain(at: changedAgainAt) }
        changedAgainAt = nil
    }

    func follow(_ event: SourceEvent) {
        switch event {
        case .changed:
            reveal()
            let now = SystemClock.now()
            if !adapter.looksFirst { adapter.changed(at: now) }
            unseenChange = now
        case .idle: break
        case .hidden(let text): hide(text)
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

    func hide(_ text: String) {
        if text == hiddenBecause { return }
        hiddenBecause = text
        report(.hidden(text))
    }

    func reveal() {
        guard isHidden else { return }
        hiddenBecause = nil
        report(.visible)
    }
}
