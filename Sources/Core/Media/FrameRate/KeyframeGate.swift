import Timebase

/// Lets at most one keyframe a second through per lane, and no more than a fifth of the lane's bits, whoever asks for
/// it: requests within that time are served by one keyframe at its end. The first request after a quiet time is served
/// at once.
///
///     quiet ──request──► due ──keyframeMade──► (one second or more) ──request──► due at its end
///       └─────────────── keyframeMade (resume, resize, new encoder) ───────┘
package struct KeyframeGate: Sendable {
    /// When the next is allowed.
    private var opensAt = Instant.zero
    private var isRequested = false
    /// Since when the newest is on its way to all who wait.
    private var handedOverAt: Instant?

    package init() {}

    /// A viewer joined, or lost too much (PLI, FIR).
    ///
    /// - Parameter asked: when; a keyframe that was handed over since then serves it.
    package mutating func request(asked: Instant = .distantFuture) {
        if let handedOverAt, asked <= handedOverAt { return }
        isRequested = true
    }

    /// Whoever asked has been served otherwise; an encoder's first keyframe nobody had to ask for.
    package mutating func withdraw() {
        if opensAt > .zero { isRequested = false }
    }

    /// The keyframe is about to be handed to those who send it.
    package mutating func handedOver(at now: Instant) { handedOverAt = now }

    /// Whether a keyframe is wanted and allowed.
    package func isDue(at now: Instant) -> Bool { dueAt.map { $0 <= now } ?? false }

    /// When the wanted keyframe is allowed; nil where none is wanted.
    package var dueAt: Instant? {
        isRequested ? opensAt : nil
    }

    /// A keyframe was made, asked for or not (the first of an encoder, after a resize): it serves all who wait, and the
    /// time starts anew.
    ///
    /// - Parameter bitsPerSecond: what the lane may use.
    package mutating func keyframeMade(bytes: Int = 0, of bitsPerSecond: Int = 1, at now: Instant) {
        opensAt = now + Self.interval(bytes: bytes, of: bitsPerSecond)
        isRequested = false
    }

    /// How long after a keyframe the next may come at the soonest.
    package static func interval(bytes: Int, of bitsPerSecond: Int) -> Duration {
        let fair = Double(bytes) * 8 * MediaLimits.keyframeShare / Double(max(1, bitsPerSecond))
        let longest = MediaLimits.longestKeyframeInterval.inSeconds
        return max(MediaLimits.keyframeInterval, .seconds(min(fair, longest)))
    }
}
