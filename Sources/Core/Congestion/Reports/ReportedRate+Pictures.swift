import Timebase

extension ReportedRate {
    /// What has left of pictures.
    struct Pictures: Sendable {
        /// When the last packet did: behind it a queue only gets shorter.
        private(set) var leftAt: Instant?
        private var sending = SendingRate()

        init() {}

        mutating func sent(bytes: Int, at now: Instant) {
            leftAt = now
            sending.note(bytes: bytes, at: now)
        }

        /// Whether they leave all the time, and are more than a caret or keys make. A page now and then keeps no queue long.
        mutating func leaveSteadily(at now: Instant) -> Bool {
            sending.isSteady(at: now) && sending.bitsPerSecond(at: now) > Limits.leastForRoundTrip
        }
    }
}
