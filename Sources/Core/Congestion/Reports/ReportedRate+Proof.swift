import Timebase

extension ReportedRate {
    /// What a path was seen to take since something was too much for it: beyond that, a rate is only believed in.
    struct Proof: Sendable {
        /// Nil while nothing was too much.
        private var most: (bitsPerSecond: Double, at: Instant)?

        init() {}

        mutating func lessened(to bitsPerSecond: Double, at now: Instant) {
            most = (bitsPerSecond * Limits.shareOfProof, now)
        }

        /// So much was sent in a second, and was not too much.
        mutating func passed(_ bitsPerSecond: Double, at now: Instant) {
            guard let most, bitsPerSecond >= most.bitsPerSecond || isOld(most.at, at: now) else { return }
            self.most = (bitsPerSecond, now)
        }

        func covers(_ bitsPerSecond: Double, at now: Instant) -> Bool {
            guard let most else { return true }
            return !isOld(most.at, at: now) && most.bitsPerSecond >= bitsPerSecond * Limits.shareOfProof
        }

        private func isOld(_ instant: Instant, at now: Instant) -> Bool { now - instant > Limits.memoryOfProof }
    }
}
