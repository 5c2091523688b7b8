import Glibc
import Timebase

/// The clock of media and transport, and the only place where it is read: Core takes instants as arguments. What waits for
/// servers and people goes by Swift's `ContinuousClock`.
///
/// `CLOCK_BOOTTIME` also counts while the machine sleeps, so that ICE consent (RFC 7675) cannot outlive a suspend.
package enum SystemClock {
    package static func now() -> Instant {
        Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME))
    }

    /// The same moment on Swift's clock, which is what embedders know.
    package static func continuous(_ instant: Instant) -> ContinuousClock.Instant {
        beginning + (instant - .zero)
    }

    /// Swift's clock at our zero: both count what the machine sleeps. Of some readings the one that was least interrupted.
    private static let beginning: ContinuousClock.Instant = {
        let readings = (0..<8).map { _ in
            let before = now()
            let continuous = ContinuousClock.now
            return (gap: now() - before, zero: continuous - (before - .zero))
        }
        return readings.min { $0.gap < $1.gap }.map(\.zero) ?? ContinuousClock.now - (now() - .zero)
    }()

    /// The wall clock beside the monotonic one, for sender reports and capture times.
    package static func wallClockAnchor() -> WallClockAnchor {
        WallClockAnchor(instant: now(), ntp: NTPTimestamp(unixNanoseconds: nanoseconds(of: CLOCK_REALTIME)))
    }

    /// The wall clock's seconds since 1970, for what others date.
    package static func unixSeconds() -> Int64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000_000 }

    /// What this thread has used of the processor.
    package static func threadTime() -> Duration { .nanoseconds(nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)) }

    /// What this process has used of the processors.
    package static func processTime() -> Duration { .nanoseconds(nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)) }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
