import AudioDevices
import Glibc
import Media
import SystemClock
import TestSupport
import Testing
import Timebase

extension SoundServerSuite {
    @Suite("A stream of a sound server")
    struct StreamTests {
        @Test("Every sample format and number of channels arrives as the server has it", arguments: [
            ("u8", 1), ("s16le", 2), ("s16be", 3), ("s24le", 4), ("s24be", 5), ("s24-32le", 6), ("s24-32be", 7),
            ("s32le", 8), ("s32be", 12), ("float32le", 16), ("float32be", 32), ("alaw", 1), ("ulaw", 2),
        ])
        func formats(_ name: String, _ channels: Int) throws {
            let server = try SoundServer([
                "\(SoundServer.nullSink)=own rate=16000 channels=\(channels) format=\(name)"
            ])
            let tone = Tone(frequency: 500, sampleRate: 16_000)
            let player = try server.play(tone, into: "own")
            var listener = Listener(DeviceSource("pulse:own.monitor", server: server.address))
            try #require(try listener.hears(tone))
            let recording = try listener.record(for: .seconds(5)) { $0[0].frames < 4000 }[0]
            #expect(recording.format == AudioFormat(sampleRate: 16_000, channels: channels))
            for channel in 0..<channels {
                let tail = recording.tail(3200, channel: channel)
                #expect(abs(amplitude(of: 500, in: tail, sampleRate: 16_000) - 0.5) < 0.01)
                #expect(abs(level(of: tail) - 0.5 / 2.0.squareRoot()) < 0.005)
            }
            player.end(SIGKILL)
        }

        @Test("A reader that is held up gets everything afterwards, in blocks of at most a second, in step")
        func heldUp() throws {
            let server = try SoundServer()
            var listener = Listener(DeviceSource("pulse:speakers.monitor", server: server.address))
            // What a monitor hears is dated by when its reader woke up: where that was late, it is off by as much.
            let (hole, excess) = try bestOf(3) {
                try holdUp(&listener)
            } isRight: { abs($0.hole) < 5 && abs($0.excess) < 20 }
            #expect(abs(hole) < 5)
            #expect(abs(excess) < 20)
        }

        /// How far what is heard afterwards is from what was heard before, and by how much it is more than the time that it
        /// was heard in; in milliseconds.
        private func holdUp(_ listener: inout Listener) throws -> (hole: Double, excess: Double) {
            let before = try #require(
                try listener.record(for: .seconds(3)) { $0[0].frames < 24_000 }[0].blocks.last)
            Wakeup.made().wait(atMost: .milliseconds(1500))
            let recording = try listener.record(for: .seconds(5)) { $0[0].frames < 96_000 }[0]
            let first = try #require(recording.blocks.first)
            let end = before.capturedAt + before.format.duration(frames: before.frameCount)
            let time = try #require(recording.format).duration(frames: recording.frames)
            let last = try #require(recording.blocks.last)
            let heard = last.capturedAt + last.format.duration(frames: last.frameCount) - end
            #expect(time >= .seconds(2))
            #expect(recording.blocks.allSatisfy { $0.format.duration(frames: $0.frameCount) <= .seconds(1) })
            let age = try #require(recording.age)
            #expect(age > .milliseconds(-20) && age < .milliseconds(60))
            return ((first.capturedAt - end).inMilliseconds, (time - heard).inMilliseconds)
        }

        @Test("A suspended device gives nothing and keeps nobody busy; resumed, its timestamps show the gap at once")
        func suspended() throws {
            let server = try SoundServer()
            var listener = Listener(DeviceSource("pulse:speakers.monitor", server: server.address))
            let before = try #require(
                try listener.record(for: .seconds(3)) { $0[0].frames < 24_000 }[0].blocks.last)
            try server.control("suspend-sink", "speakers", "1")
            // What was on its way, however late that is.
            for _ in 0..<20 { if try listener.record(for: .milliseconds(100))[0].blocks.isEmpty { break } }
            listener.wakeups = 0
            #expect(try listener.record(for: .milliseconds(500))[0].blocks.isEmpty)
            #expect(listener.wakeups < 20)
            let resumed = SystemClock.now()
            try server.control("suspend-sink", "speakers", "0")
            let recording = try listener.record(for: .seconds(5)) { $0[0].blocks.isEmpty }[0]
            let after = try #require(recording.blocks.first)
            #expect(after.capturedAt - before.capturedAt > .milliseconds(500))
            // Of the time since then, and not of the future.
            let age = try #require(recording.age)
            #expect(age > .milliseconds(-20) && after.capturedAt > resumed - .milliseconds(100))
        }

        @Test("A capture can't be moved to another source, from what is played to who speaks")
        func moved() throws {
            let server = try SoundServer([
                "\(SoundServer.nullSink)=speakers rate=48000 channels=2",
                "\(SoundServer.nullSink)=cable rate=48000 channels=2",
            ])
            let tone = Tone(frequency: 440)
            let player = try server.play(tone, into: "speakers")
            var listener = Listener(DeviceSource("pulse:speakers.monitor", server: server.address))
            try #require(try listener.hears(tone))
            #expect(throws: Program.Failure.self) {
                // The only capture there is.
                try server.control("move-source-output", "0", "cable.monitor")
            }
            #expect(try listener.hears(tone))
            player.end(SIGKILL)
        }

        @Test("It hands over as often as it is asked to", arguments: [10, 20, 40])
        func period(_ milliseconds: Int) throws {
            let server = try SoundServer()
            var listener = Listener(
                DeviceSource(
                    "pulse:speakers.monitor", server: server.address, period: .milliseconds(milliseconds)))
            _ = try listener.record(for: .seconds(3)) { $0[0].frames < 24_000 }
            let expected = 800 / milliseconds
            // Where the recording is cut off takes or gives a few.
            let few = max(4, expected / 10)
            // A server or a reader that is late makes one piece of two, and a late server wakes its listeners twice.
            let heard = try bestOf(3) { () -> (blocks: Int, wakeups: Int) in
                listener.wakeups = 0
                let blocks = try listener.record(for: .milliseconds(800))[0].blocks.count
                return (blocks, listener.wakeups)
            } isRight: { abs($0.blocks - expected) <= few && $0.wakeups < expected * 3 / 2 }
            #expect(abs(heard.blocks - expected) <= few)
            #expect(heard.wakeups < expected * 3 / 2)
        }
    }
}
