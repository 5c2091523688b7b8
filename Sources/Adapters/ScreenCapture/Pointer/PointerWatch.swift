import Media
import Timebase

/// When to look where the pointer is.
///
///     listening ──it moved──► following ──still for a while──► listening
///
/// While listening, the server tells when a device moves the pointer; it is looked at now and then all the same. While
/// following, events are off (a mouse makes a thousand a second) and it is looked at once a period. Without XInput 2
/// there is only following.
struct PointerWatch {
    private enum Phase: Equatable {
        case listening
        case following(lastMotion: Instant)
    }

    private var phase: Phase
    private let hasEvents: Bool
    /// Between two looks at a pointer that moves.
    var period = MediaLimits.pointerPeriod
    private var lastLook: Instant

    init(hasEvents: Bool, now: Instant) {
        self.hasEvents = hasEvents
        phase = hasEvents ? .listening : .following(lastMotion: now)
        lastLook = now - Limits.pointerCheck
    }

    /// When the pointer has to be looked at, if nothing else happens.
    var nextLook: Instant {
        switch phase {
        case .listening: lastLook + Limits.pointerCheck
        case .following: lastLook + period
        }
    }

    func isDue(at now: Instant) -> Bool { now >= nextLook }

    /// Whether a picture made now needs no new position.
    func isFresh(at now: Instant) -> Bool { now - lastLook < Limits.pointerFresh }

    /// The server told of motion, or a window moved beneath the pointer: look at once.
    /// - Returns: whether to turn the events off.
    mutating func noticeMotion(at now: Instant) -> Bool {
        lastLook = min(lastLook, now - period)
        return follow(at: now)
    }

    /// The pointer was looked at.
    /// - Returns: whether to turn the events off.
    mutating func look(at now: Instant, moved: Bool) -> Bool {
        lastLook = now
        return moved && follow(at: now)
    }

    private mutating func follow(at now: Instant) -> Bool {
        let wasListening = phase == .listening
        phase = .following(lastMotion: now)
        return wasListening
    }

    /// Whether to turn the events on again, and then to look once more, so that no motion is missed between.
    mutating func rest(at now: Instant) -> Bool {
        guard hasEvents, case .following(let lastMotion) = phase, now - lastMotion >= Limits.pointerRest else {
            return false
        }
        phase = .listening
        return true
    }
}
