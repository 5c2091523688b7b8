import CALSA
import Glibc
import Media
import Timebase

/// A timerfd(2): readable some time after it was set. Used by one thread.
final class RestTimer {
    let descriptor: Int32

    /// - Throws: where no file descriptor is left.
    init() throws(AudioSourceError) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        guard descriptor >= 0 else { throw .noDescriptor }
    }

    deinit { close(descriptor) }

    func set(_ time: Duration) {
        let (seconds, nanoseconds) = max(1, time.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        timerfd_settime(descriptor, 0, &setting, nil)
    }

    /// Whether the time is over; true once for each setting.
    func hasFired() -> Bool {
        var count: UInt64 = 0
        return read(descriptor, &count, 8) == 8
    }
}

extension AudioSourceError {
    /// What may pass: whoever floods a server with connections takes them all for a while.
    static let noDescriptor = AudioSourceError.unavailable("The process may open no more files; sound waits for one.")
}
