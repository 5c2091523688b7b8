import Timebase

/// Lets at most one keyframe a second through per lane, whoever asks for it: requests within that second are served by
/// one keyframe at its end. The first request after a quiet second is served at once.
///
///     quiet ──request──► due ──keyframeMade──► (one second) ──request──► due at its end
///       └─────────────── keyframeMade (resume, resize, new encoder) ───────┘
package struct KeyframeGate: Sendable {
    private var lastKeyframe: Instant?
    private var isRequested = false

    package init() {}

    /// A viewer joined, or lost too much (PLI, FIR).
    package mutating func request() { isRequested = true }

    /// Whether a keyframe is wanted and allowed.
    package func isDue(at now: Instant) -> Bool { dueAt.map { $0 <= now } ?? false }

    /// When the wanted keyframe is allowed; nil where none is wanted.
    package var dueAt: Instant? {
        guard isRequested else { return nil }
        return lastKeyframe.map { $0 + MediaLimits.keyframeInterval } ?? .zero
    }

    /// A keyframe was made, asked for or not (the first of an encoder, after a resize): it serves all who wait, and the
    /// second starts anew.
    package mutating func keyframeMade(at now: Instant) {
        lastKeyframe = now
        isRequested = false
    }
}
