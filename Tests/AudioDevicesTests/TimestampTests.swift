import AudioDevices
import Glibc
import Media
import SystemClock
import TestSupport
import Testing
import Timebase

extension SoundServerSuite {
    @Suite("Timestamps of a real server")
    struct TimestampTests {
        @Test("Timestamps stay in step with the clock, and jitter by less than 2 ms", arguments: Route.allCases)
        func timestamps(_ route: Route) throws {
            let server = try SoundServer()
            let player = try server.play(Tone(frequency: 440), into: "speakers")
            var listener = Listener(route.source("speakers.monitor", of: server))
            // Until the server knows its own delay.
            _ = try listener.record(for: .seconds(4)) { $0[0].frames < 48_000 }
            // A reader that wakes late dates by that: a moment of it moves a stamp, and more of it in the end all of them.
            let (jitter, drift) = try bestOf(3) {
                try steps(of: listener.record(for: .seconds(3))[0])
            } isRight: { $0.jitter < 2 && abs($0.drift) < 3 }
            #expect(jitter < 2)
            #expect(abs(drift) < 3)
            player.end(SIGKILL)
        }

        /// How far any block is from where the one before ends, and all of them are from as much time as went by; in
        /// milliseconds.
        private func steps(of recording: Recording) throws -> (jitter: Double, drift: Double) {
            let first = try #require(recording.blocks.first)
            var expected = first.capturedAt
            var jitter = 0.0
            for block in recording.blocks {
                jitter = max(jitter, abs((block.capturedAt - expected).inMilliseconds))
                expected = block.capturedAt + block.format.duration(frames: block.frameCount)
            }
            let last = try #require(recording.blocks.last)
            let age = try #require(recording.age)
            #expect(age > .milliseconds(-20) && age < .milliseconds(60))
            let played = last.format.duration(frames: recording.frames - last.frameCount)
            let shown = last.capturedAt - first.capturedAt
            return (jitter, (played - shown).inMilliseconds)
        }
    }
}
