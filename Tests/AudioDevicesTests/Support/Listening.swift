import AudioDevices
import Glibc
import Media
import SystemClock
import TestSupport
import Timebase

/// One thread that waits for several sources at once, and for an eventfd.
struct Listener {
    var sources: [DeviceSource]
    let wakeup = Wakeup.made()
    /// The longest that any read took, and how often the thread woke up, and did in vain.
    var longestRead = Duration.zero
    var wakeups = 0
    var idleWakeups = 0

    init(_ sources: DeviceSource...) { self.sources = sources }

    /// Waits once, and reads every source.
    mutating func turn() throws(AudioSourceError) -> [AudioBlock?] {
        var entries = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
        for source in sources {
            entries += source.pollDescriptors.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        }
        _ = poll(&entries, nfds_t(entries.count), 100)
        wakeups += 1
        var blocks: [AudioBlock?] = []
        for source in sources {
            let now = SystemClock.now()
            defer { longestRead = max(longestRead, SystemClock.now() - now) }
            blocks.append(try source.read(at: now))
        }
        if blocks.allSatisfy({ $0 == nil }) { idleWakeups += 1 }
        return blocks
    }

    /// What each source gives within a time.
    mutating func record(
        for time: Duration, while condition: ([Recording]) -> Bool = { _ in true }
    ) throws(AudioSourceError) -> [Recording] {
        let deadline = SystemClock.now() + time
        var recordings = [Recording](repeating: Recording(), count: sources.count)
        while SystemClock.now() < deadline, condition(recordings) {
            for (index, block) in try turn().enumerated() {
                guard let block else { continue }
                recordings[index].blocks.append(block)
                recordings[index].readAt.append(SystemClock.now())
            }
        }
        return recordings
    }

    /// The error that a source ends with.
    mutating func recordUntilError(for time: Duration) -> AudioSourceError? {
        do throws(AudioSourceError) {
            _ = try record(for: time)
            return nil
        } catch {
            return error
        }
    }

    /// Records the first source until a tone is heard in it.
    mutating func hears(_ tone: Tone, within time: Duration = .seconds(15)) throws -> Bool {
        var heard = false
        _ = try record(for: time) { recordings in
            guard let format = recordings[0].format else { return true }
            let tail = recordings[0].tail(format.sampleRate / 10)
            heard = tail.count == format.sampleRate / 10
                && amplitude(of: tone.frequency, in: tail, sampleRate: format.sampleRate) > tone.amplitude * 0.9
            return !heard
        }
        return heard
    }
}

/// How long something took.
func elapsed(_ body: () throws -> Void) rethrows -> Duration {
    let start = SystemClock.now()
    try body()
    return SystemClock.now() - start
}
