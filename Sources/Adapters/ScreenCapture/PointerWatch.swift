import Timebase

/// When to look where the pointer is.
///
///     listening ──motion event──► following ──still for a while──► listening
///
/// While listening, the server tells when the pointer moves, and a still pointer costs nothing. While following, events
/// are off (a mouse makes a thousand a second) and the position is asked for once a frame. Without XInput 2 there is
/// only following.
struct PointerWatch {
    enum Phase: Equatable {
        case listening
        case following(lastMotion: Instant)
    }

    private(set) var phase: Phase
    private let hasEvents: Bool
    private var lastLook: Instant

    init(hasEvents: Bool, now: Instant) {
        self.hasEvents = hasEvents
        phase = hasEvents ? .listening : .following(lastMotion: now)
        lastLook = now - Limits.pointerCheck
    }

    /// When the pointer has to be looked at, if nothing else happens.
    var nextLook: Instant {
        switch phase {
        case .listening: .distantFuture
        case .following: lastLook + Limits.pointerPeriod
        }
    }

    /// Whether to look now that the caller is awake.
    func isDue(at now: Instant) -> Bool {
        switch phase {
        case .listening: now - lastLook >= Limits.pointerCheck
        case .following: now >= nextLook
        }
    }

    /// Whether a picture made now needs a new position.
    func isFresh(at now: Instant) -> Bool { now - lastLook < Limits.pointerFresh }

    /// The server told of motion, or a window moved beneath the pointer.
    /// - Returns: whether to turn the events off.
    mutating func noticeMotion(at now: Instant) -> Bool {
        defer { phase = .following(lastMotion: now) }
        lastLook = min(lastLook, now - Limits.pointerPeriod)
        return phase == .listening
    }

    /// The pointer was looked at.
    mutating func look(at now: Instant, moved: Bool) {
        lastLook = now
        if moved, case .following = phase { phase = .following(lastMotion: now) }
    }

    /// Whether to turn the events on again, and look once more after that, so that no motion is missed between.
    mutating func rest(at now: Instant) -> Bool {
        guard hasEvents, case .following(let lastMotion) = phase, now - lastMotion >= Limits.pointerRest else {
            return false
        }
        phase = .listening
        lastLook = now - Limits.pointerCheck
        return true
    }
}
