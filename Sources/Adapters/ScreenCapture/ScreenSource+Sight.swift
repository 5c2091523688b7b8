import CXCB
import Media
import SystemClock
import Timebase

// What the server told and what is to be asked: events, place and size, the pointer.
extension ScreenSource {
    /// Takes in what the server told since the last time, without waiting.
    func absorbEvents() throws(XFailure) {
        let events = try connection.takeEvents()
        let now = SystemClock.now()
        for event in events {
            switch event {
            case .damage(let area, let drawn, let sequence):
                let drawnAt = clock.instant(of: .milliseconds(drawn), arrivedAt: now)
                if let surface { absorb(damage: surface.picture(area), sequence: sequence, drawnAt: drawnAt) }
                if Int32(bitPattern: sequence &- lastReplaced) >= 0 { react(to: event) }
            case .pointerMoved:
                noticeMotion()
            case .cursorChanged:
                isShapeStale = true
            case .screenChanged, .windowConfigured, .windowRemapped, .windowDestroyed, .propertyChanged:
                react(to: event)
            }
        }
    }

    /// - Parameter area: what the server told of, as far as it lies in the picture.
    private func absorb(damage area: PixelRect, sequence: UInt32, drawnAt: Instant) {
        // Beside a region.
        if area.isEmpty { return }
        tracker.add(area, sequence: sequence, drawnAt: drawnAt)
        // Sequence numbers wrap; two that are compared lie close together.
        if let askedForMore, Int32(bitPattern: sequence &- askedForMore) >= 0 { hasMore = true }
    }

    private func react(to event: XEvent) {
        switch subject.reaction(to: event) {
        case .none: break
        case .pointer: noticeMotion()
        case .settle: isStale = true
        case .replaced:
            isStale = true
            noteReplaced()
        case .drawn:
            isStale = true
            pausedUntil = .zero
        }
    }

    /// Looks where the source is now. `isStale` stays set where that could not be found out.
    func settle(until deadline: Instant) throws(XFailure) {
        // What the server told of that, it would not tell again.
        defer { if subject.takeOwnDrawing() { xcb_damage_subtract(connection.handle, damage, 0, 0) } }
        do throws(XFailure) {
            switch try subject.look(until: deadline) {
            case .visible(let surface): try show(surface, until: deadline)
            case .hidden(let reason): hide(reason)
            case .closed(let reason):
                isClosed = true
                hide(reason)
            case .undrawn(let time):
                isStale = true
                pausedUntil = time
                return
            }
            isStale = false
            refusals = 0
        } catch .refused {
            refuse()
        } catch {
            isStale = true
            throw error
        }
    }

    /// What is damaged from here on was drawn by the program itself. Before, the server tells of damage where it only
    /// made room.
    func noteReplaced() {
        lastReplaced = xcb_damage_subtract(connection.handle, damage, 0, 0).sequence
    }

    /// The source changed while it was looked at or fetched: look again, and after several times only in a while.
    func refuse() {
        isStale = true
        refusals += 1
        guard refusals >= Limits.settleTries else { return }
        refusals = 0
        pausedUntil = SystemClock.now() + Limits.refusalPause
    }

    private func hide(_ reason: String) {
        if surface != nil || reason != hiddenReason { isHiddenReported = false }
        surface = nil
        hiddenReason = reason
    }

    private func show(_ next: Surface, until deadline: Instant) throws(XFailure) {
        if next == surface, picture != nil { return }
        surface = nil
        overlay.forget()
        guard try prepareMemory(for: next.size, until: deadline) else { return }
        tracker.restart(with: next.size)
        // Of a read that failed; it may reach beyond this picture.
        undelivered = DamagedAreas()
        undeliveredPointer = .nothing
        surface = next
        size = next.size
        hiddenReason = ""
    }

    /// Memory for one picture of this size, and no more: that of the picture before serves again if it fits.
    /// - Returns: false if there can't be any, which ends the source.
    private func prepareMemory(for size: PixelSize, until deadline: Instant) throws(XFailure) -> Bool {
        let needed = Picture.byteCount(of: size)
        guard size.area <= Limits.pictureArea else {
            ending = .unsupported("A picture of \(size) pixels is too large to be shared.")
            return false
        }
        var memory = picture?.memory
        picture = nil
        if let old = memory, old.bytes.count < needed || old.bytes.count / 4 > needed {
            old.detach(from: connection)
            memory = nil
        }
        let usable = if let memory { memory } else { try makeMemory(byteCount: needed, until: deadline) }
        picture = Picture(size: size, format: subject.format, memory: usable)
        return picture != nil
    }

    private func makeMemory(byteCount: Int, until deadline: Instant) throws(XFailure) -> PictureMemory {
        if !isMemoryPrivate,
            let memory = try PictureMemory.makeShared(byteCount: byteCount, on: connection, until: deadline)
        {
            return memory
        }
        if !isMemoryPrivate {
            notice("No memory can be shared with the X server: pictures come through the connection, which is slower.")
        }
        isMemoryPrivate = true
        return .makePrivate(byteCount: byteCount)
    }
}

// MARK: - The pointer

extension ScreenSource {
    func listenForMotion(_ isOn: Bool) {
        guard let input = connection.extensions.input else { return }
        PointerMotion.select(isOn, root: connection.root, connection.handle, majorOpcode: input.majorOpcode)
    }

    private func noticeMotion() {
        guard showsCursor else { return }
        if watch.noticeMotion(at: SystemClock.now()) { listenForMotion(false) }
    }

    /// Asks where the pointer is, and for its shape if that changed.
    func lookAtPointer(until deadline: Instant) throws(XFailure) {
        try takePointer(askForPointer(), until: deadline)
        if watch.rest(at: SystemClock.now()) {
            listenForMotion(true)
            try takePointer(askForPointer(), until: deadline)
        }
    }

    /// Requests about the pointer, sent but not answered.
    struct CursorQuestion {
        var place: PointerQuestion
        var shape: UInt32?
    }

    func askForPointer() -> CursorQuestion {
        counted.pointerLooks += 1
        let shape = isShapeStale ? xcb_xfixes_get_cursor_image(connection.handle).sequence : nil
        isShapeStale = false
        return CursorQuestion(place: subject.askForPointer(), shape: shape)
    }

    func takePointer(_ question: CursorQuestion, until deadline: Instant) throws(XFailure) {
        do throws(XFailure) {
            if let shape = question.shape { try takeShape(shape, until: deadline) }
        } catch {
            isShapeStale = true
            abandon(question.place)
            throw error
        }
        do throws(XFailure) {
            let answer = try connection.answer(to: question.place, until: deadline)
            let moved = lastPointer != nil && answer.onRoot != lastPointer
            if watch.look(at: SystemClock.now(), moved: moved) { listenForMotion(false) }
            lastPointer = answer.onRoot
            if let surface { overlay.point = subject.pointer(answer, on: surface) }
        } catch .refused {
            // The window is going; its own event tells what became of it.
            overlay.point = nil
            _ = watch.look(at: SystemClock.now(), moved: false)
        }
    }

    /// Gives up the answers of a question whose batch failed.
    func abandon(_ question: CursorQuestion) {
        if let shape = question.shape {
            connection.abandon(shape)
            isShapeStale = true
        }
        abandon(question.place)
    }

    private func abandon(_ question: PointerQuestion) {
        connection.abandon(question.onRoot)
        if let window = question.onWindow { connection.abandon(window) }
    }

    private func takeShape(_ sequence: UInt32, until deadline: Instant) throws(XFailure) {
        do throws(XFailure) {
            let reply = try connection.reply(
                sequence, as: xcb_xfixes_get_cursor_image_reply_t.self, until: deadline)
            overlay.image = CursorImage(reply)
        } catch .refused {
            // A server that has never shown a cursor has none.
            overlay.image = nil
        }
    }
}
