import Media
import PixelConversion
import SystemClock
import Timebase

// Reading pictures: what is new in them, where, and what they are about.
extension VideoPipeline {
    /// The source's picture now; nil where there is none for the moment, after a short wait. Where it is hidden, that is
    /// known then.
    func read() throws(ShareError) -> ScreenFrame? {
        do throws(CaptureError) {
            let frame = try source.read()
            if sizes.takes(frame.pixels.size, after: converter?.source, at: SystemClock.now()) { return frame }
        } catch { _ = try tolerate(error) }
        controls.wakeup.wait(atMost: VideoPipelineLimits.retryPeriod)
        tellAbsence(try poll(until: SystemClock.now()))
        return nil
    }

    /// Reads what has changed before its slot, to see whether it is new.
    func look(at changedAt: Instant, until deadline: Instant) throws(ShareError) {
        let drawn = changedAt + MediaLimits.drawingTime
        // What comes this close to its slot is looked at there.
        guard drawn + VideoPipelineLimits.lookTime < deadline else {
            return controls.wakeup.wait(atMost: deadline - SystemClock.now())
        }
        controls.wakeup.wait(atMost: drawn - SystemClock.now())
        unseen = UnseenChange()
        guard let frame = try read() else { return }
        glance(at: frame, changedAt: changedAt)
        // A new size is let through once.
        if frame.pixels.size != converter?.source { convert(frame) }
    }

    /// Reads what has changed, once it is drawn, before it counts.
    func lookFirst(at changedAt: Instant, until deadline: Instant) throws(ShareError) {
        let drawn = min(
            changedAt + MediaLimits.drawingTime, (unseen.last ?? changedAt) + MediaLimits.drawingPause)
        if SystemClock.now() < drawn {
            if try changesAgain(until: min(drawn, deadline)) { unseen.last = SystemClock.now() }
            return
        }
        unseen = UnseenChange()
        let begun = SystemClock.now()
        guard let frame = try read() else {
            if !isHidden { unseen = UnseenChange(first: SystemClock.now()) }
            return
        }
        let waiting = source.waited
        work.waited(for: waiting)
        let look = convertWatching(frame)
        work.looked(for: SystemClock.now() - begun - waiting)
        isLookedAt = isLookedAt || look != .repeated
        // The source's own date is better than when we noticed: that may have waited for an encoder.
        adapter.looked(look, changedAt: min(changedAt, frame.capturedAt), drawnAt: frame.drawnAt)
    }

    /// Tells the adapter when something new came, where it wants to know. The frame is converted later, or the next one
    /// with what changed in this.
    func glance(at frame: ScreenFrame, changedAt: Instant?) {
        if adapter.remembersNews {
            let number = Glance.number(of: frame)
            if let changedAt, adapter.wantsNews, number != glanced { adapter.sawSomethingNew(changedAt: changedAt) }
            glanced = number
        }
        unconverted = unconverted.union(frame.damage)
    }

    /// Converts what looks different from before, and says what that is.
    func convertWatching(_ frame: ScreenFrame) -> Look {
        guard let converter, converter.source == frame.pixels.size,
            converter.geometry == commands.geometry(of: frame.pixels.size)
        else {
            convert(frame)
            capturedAt = frame.moment
            // What plays goes on playing at another size.
            _ = watch?.look(at: frame, cadence: adapter.cadence)
            return .picture
        }
        var watch = watch ?? ContentWatch(source: frame.pixels.size)
        var look = watch.look(at: frame, cadence: adapter.cadence)
        self.watch = watch
        // What was glanced at under a fixed pace, before there was this one.
        if look == .repeated, !unconverted.isEmpty { look = .beside }
        if look != .repeated {
            convert(frame)
            capturedAt = frame.moment
        }
        return look
    }

    /// Goes by what the pictures are about.
    func applyContent() {
        let content = watch?.content ?? .app
        let wanted = commands.grid(for: content)
        if wanted != grid {
            grid = wanted
            adapter.set(rate: grid.rate, pace: grid.pace)
            if grid.pace == .fixed { forgetContent() }
        }
        if grid.pace != .fixed { tell(content) }
    }

    /// Nobody looks any more: what played counts as ended.
    private func forgetContent() {
        watch = nil
        let known = counters.now
        counters.update { counters in
            counters.content = nil
            counters.cadence = nil
        }
        if known.content == .video || known.cadence != nil { report(.content(.app, nil)) }
    }

    private func tell(_ content: Content) {
        let cadence = adapter.cadence
        let known = counters.now
        if known.content ?? .app != content || known.cadence?.rate != cadence?.rate { report(.content(content, cadence)) }
        guard known.content != content || known.cadence != cadence else { return }
        counters.update { counters in
            counters.content = content
            counters.cadence = cadence
        }
    }

    /// Converts what changed into the persistent picture, and notes where for the encoders.
    func convert(_ frame: ScreenFrame) {
        var frame = frame
        frame.damage = frame.damage.union(unconverted)
        unconverted = .nothing
        let geometry = commands.geometry(of: frame.pixels.size)
        if converter?.geometry != geometry || converter?.source != frame.pixels.size {
            if converter == nil {
                // What played before a pause, or in another source.
                watch = nil
            } else if converter?.source != frame.pixels.size {
                watch?.resized(to: frame.pixels.size, at: frame.capturedAt)
            }
            converter = PictureConverter(source: frame.pixels.size, geometry: geometry)
            unsentDamage = .nothing
            lanes = [:]
            // Before it is told: who hears of it may ask for the statistics.
            counters.update { ($0.source, $0.size) = (frame.pixels.size, geometry.picture) }
            tell(source: frame.pixels.size, picture: geometry.picture)
        }
        if let converter { unsentDamage = unsentDamage.union(converter.convert(frame)) }
        isUnsampled = true
    }
}
