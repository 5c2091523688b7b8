import Media
import Synchronization
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import AudioDevices

@Suite("Openings that hang", .timeLimit(.minutes(1)))
struct OpeningTests {
    /// A device that opens once it is let; how often that was begun.
    private final class Hanging: Sendable {
        let begun = Atomic<Int>(0)
        let hasBegun = Wakeup.made()
        let mayEnd = Wakeup.made()

        func source(_ memory: DeviceMemory) -> DeviceSource {
            DeviceSource("hanging", preferring: .stereo48k, memory: memory) { () throws(AudioSourceError) in self.open() }
        }

        private func open() -> OpenDevice {
            begun.add(1, ordering: .relaxed)
            hasBegun.fire()
            mayEnd.wait(atMost: .seconds(50))
            return OpenDevice(source: Silence())
        }
    }

    private final class Silence: AudioSource {
        let format = AudioFormat.stereo48k
        let pollDescriptors: [PollEntry] = []

        func read(at now: Instant) -> AudioBlock? { nil }
    }

    @Test("what hangs is not begun once more: the next source waits for the same, and only one behind its end for another")
    func hanging() throws {
        let (device, memory) = (Hanging(), DeviceMemory())
        _ = device.source(memory)
        device.hasBegun.wait(atMost: .seconds(50))
        let next = device.source(memory)
        #expect(try next.read(at: SystemClock.now()) == nil)
        device.mayEnd.fire()
        try waitUntilOpen(next)
        #expect(device.begun.load(ordering: .relaxed) == 1)
        try waitUntilOpen(device.source(memory))
        #expect(device.begun.load(ordering: .relaxed) == 2)
    }

    private func waitUntilOpen(_ source: DeviceSource) throws {
        var listener = Listener(source)
        _ = try listener.record(for: .seconds(20)) { _ in !source.isOpen }
        #expect(source.isOpen)
    }
}
