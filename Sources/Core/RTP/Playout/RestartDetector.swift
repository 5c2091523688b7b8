import Timebase

/// Tells a sender that started again, with other timestamps, from packets that are stale: the first go on at the pace
/// of the clock, the second come faster than they were sent.
struct RestartDetector: Sendable {
    /// In seconds.
    private struct Run: Sendable {
        var since: Double
        var transit: Double
        var packets = 1
    }

    private var run: Run?

    /// A packet came whose timestamp can't belong to the stream; true once enough of them agree.
    mutating func judge(transit: Double, at now: Double) -> Bool {
        guard var run, (transit - run.transit).magnitude <= Limits.jumpSpread.inSeconds else {
            run = Run(since: now, transit: transit)
            return false
        }
        run.packets += 1
        self.run = run
        return run.packets >= Limits.jumpPackets && now - run.since >= Limits.jumpTime.inSeconds
    }

    /// A packet came that fits.
    mutating func reset() { run = nil }
}
