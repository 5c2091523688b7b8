import CXCB
import Media
import SystemClock
import Timebase

// Fetching pixels: only what changed, and so that the picture is one moment of the screen.
extension ScreenSource {
    package func read() throws(CaptureError) -> ScreenFrame {
        let (begun, before) = (SystemClock.now(), connection.waited)
        defer { waited = connection.waited - before }
        do throws(XFailure) {
            return try BrokenPipe.held { () throws(XFailure) in
                askedForMore = nil
                try connection.catchUp(until: begun + Limits.readTime)
                patience.caughtUp()
                let grabs = counted.grabs
                let frame = try readFrame(until: begun + patience.time)
                patience.succeeded(in: counted.grabs > grabs ? SystemClock.now() - begun : nil)
                return frame
            }
        } catch {
            noteSilence(since: begun)
            throw captureError(error)
        }
    }

    private func noteSilence(since begun: Instant) {
        guard connection.isStalled, patience.wasLeft(since: begun, at: SystemClock.now()) else { return }
        notice("The X server of display \(connection.display) does not answer: viewers see the last picture until it does.")
    }

    private func readFrame(until deadline: Instant) throws(XFailure) -> ScreenFrame {
        for _ in 0..<Limits.settleTries {
            try absorbEvents()
            if isStale { try settle(until: deadline) }
            if ending != nil { throw .lost }
            if isStale { continue }
            guard let surface, let picture else { throw .timedOut }
            do throws(XFailure) {
                return try frame(of: surface, in: picture, until: deadline)
            } catch .refused {
                refuse()
            }
        }
        throw .timedOut
    }

    private func frame(
        of surface: Surface, in picture: Picture, until deadline: Instant
    ) throws(XFailure) -> ScreenFrame {
        var capturedAt = SystemClock.now()
        let drawnAt = tracker.drawnAt.flatMap { capturedAt - $0 < Limits.drawnAge ? $0 : nil }
        let needsPointer = showsCursor && (isShapeStale || !watch.isFresh(at: capturedAt))
        let question = needsPointer ? askForPointer() : nil
        do throws(XFailure) {
            if !tracker.pending.isEmpty { capturedAt = try fetch(surface, into: picture, until: deadline) }
        } catch {
            if let question { abandon(question) }
            throw error
        }
        if let question { try takePointer(question, until: deadline) }
        if showsCursor, overlay.isLifted || overlay.needsDrawing(in: picture.size) {
            undeliveredPointer = undeliveredPointer.union(overlay.draw(on: picture))
        }
        defer {
            undelivered = DamagedAreas()
            undeliveredPointer = .nothing
        }
        let content = undelivered.boundingBox
        return ScreenFrame(
            pixels: picture.pixels, capturedAt: capturedAt, drawnAt: drawnAt, damage: content.union(undeliveredPointer),
            content: content, parts: undelivered.areas, pointer: overlay.place)
    }

    /// Fetches what is damaged, and again if more was damaged before the pixels were taken than was known when they
    /// were asked for: otherwise new rows would stand beside old ones. The last try takes the whole picture, and one
    /// GetImage is always one moment.
    /// - Returns: when the pixels were taken.
    private func fetch(
        _ surface: Surface, into picture: Picture, until deadline: Instant
    ) throws(XFailure) -> Instant {
        overlay.lift(from: picture)
        var takenAt = SystemClock.now()
        for attempt in 1...Limits.grabTries {
            let damaged = tracker.damaged
            let isLast = attempt == Limits.grabTries
            let rows = isLast ? 0..<picture.size.height : damaged.boundingBox.band(in: picture.size)
            takenAt = SystemClock.now()
            let overtaken = try grab(rows, of: surface, into: picture, until: deadline)
            undelivered.add(damaged)
            undelivered.add(overtaken)
            let box = overtaken.boundingBox
            if box.isEmpty || (rows.lowerBound <= box.y && box.maxY <= rows.upperBound) { break }
            // Fetched one after the other, they could go on overtaking each other.
            tracker.add(damaged)
            tracker.add(overtaken)
            counted.repeats += 1
        }
        return takenAt
    }

    /// Fetches rows of the picture into their place.
    /// - Returns: what was damaged before their pixels were taken, as far as it was not known yet.
    private func grab(
        _ rows: Range<Int>, of surface: Surface, into picture: Picture, until deadline: Instant
    ) throws(XFailure) -> DamagedAreas {
        do throws(XFailure) {
            switch picture.memory.kind {
            case .shared(let segment): try grabShared(rows, of: surface, segment: segment, until: deadline)
            case .private: try grabCopied(rows, of: surface, into: picture, until: deadline)
            }
            try absorbEvents()
        } catch {
            // Nobody knows which rows are new now.
            tracker.restart(with: picture.size)
            throw error
        }
        counted.grabs += 1
        counted.rows += rows.count
        return tracker.end()
    }

    private func grabShared(
        _ rows: Range<Int>, of surface: Surface, segment: xcb_shm_seg_t, until deadline: Instant
    ) throws(XFailure) {
        let place = RequestedRows(rows, of: surface)
        let offset = rows.lowerBound * Picture.bytesPerRow(width: surface.size.width)
        let cleared = xcb_damage_subtract(connection.handle, damage, 0, 0).sequence
        let cookie = xcb_shm_get_image(
            connection.handle, surface.drawable, place.x, place.y, place.width, place.height, .max,
            UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), segment, UInt32(clamping: offset))
        tracker.begin(grab: cookie.sequence, cleared: cleared)
        _ = try connection.reply(cookie.sequence, as: xcb_shm_get_image_reply_t.self, until: deadline)
    }

    private func grabCopied(
        _ rows: Range<Int>, of surface: Surface, into picture: Picture, until deadline: Instant
    ) throws(XFailure) {
        let place = RequestedRows(rows, of: surface)
        let cleared = xcb_damage_subtract(connection.handle, damage, 0, 0).sequence
        let cookie = xcb_get_image(
            connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), surface.drawable, place.x, place.y,
            place.width, place.height, .max)
        tracker.begin(grab: cookie.sequence, cleared: cleared)
        let reply = try connection.reply(cookie.sequence, as: xcb_get_image_reply_t.self, until: deadline)
        let stride = Picture.bytesPerRow(width: picture.size.width)
        let count = min(Int(xcb_get_image_data_length(reply.pointer)), rows.count * stride, reply.excess)
        let source = UnsafeRawBufferPointer(start: xcb_get_image_data(reply.pointer), count: count)
        let start = rows.lowerBound * stride
        UnsafeMutableRawBufferPointer(rebasing: picture.memory.bytes[start..<start + count]).copyMemory(from: source)
    }
}

/// Rows of a surface as GetImage counts them; screens and windows are at most 32767 pixels a side.
private struct RequestedRows {
    let x: Int16
    let y: Int16
    let width: UInt16
    let height: UInt16

    init(_ rows: Range<Int>, of surface: Surface) {
        x = Int16(clamping: surface.rect.x)
        y = Int16(clamping: surface.rect.y + rows.lowerBound)
        width = UInt16(clamping: surface.rect.width)
        height = UInt16(clamping: rows.count)
    }
}
