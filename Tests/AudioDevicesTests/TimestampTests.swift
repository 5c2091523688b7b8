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
            let recording = try listener.record(for: .seconds(3))[0]
            let first = try #require(recording.blocks.first)
            var expected = first.capturedAt
            for block in recording.blocks {
                let jitter = block.capturedAt - expected
                #expect(jitter > .milliseconds(-2) && jitter < .milliseconds(2))
                expected = block.capturedAt + block.format.duration(frames: block.frameCount)
            }
            // The sum of all steps: as much time as went by.
            let last = try #require(recording.blocks.last)
            let age = try #require(recording.age)
            #expect(age > .milliseconds(-20) && age < .milliseconds(60))
            let played = last.format.duration(frames: recording.frames - last.frameCount)
            let shown = last.capturedAt - first.capturedAt
            #expect(abs((played - shown).inMilliseconds) < 3)
            player.end(SIGKILL)
        }
    }
}
