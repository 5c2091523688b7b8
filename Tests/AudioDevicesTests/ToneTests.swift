import AudioDevices
import Glibc
import Media
import SystemClock
import TestSupport
import Testing
import Timebase

extension SoundServerSuite {
    @Suite("Sound that is played arrives")
    struct ToneTests {
        @Test(
            "A tone played into an output arrives with its frequency and level, in both channels",
            arguments: Route.allCases)
        func tone(_ route: Route) throws {
            let server = try SoundServer()
            let tone = Tone(frequency: 440)
            let player = try server.play(tone, into: "speakers")
            // Opening counts as well, so that each measure opens anew.
            let longestRead = try bestOf(3) { () -> Duration in
                var listener = Listener(route.source("speakers.monitor", of: server))
                try #require(try listener.hears(tone))
                let recording = try listener.record(for: .seconds(5)) { $0[0].frames < 14_400 }[0]
                #expect(recording.format == .stereo48k)
                for channel in 0..<2 {
                    let tail = recording.tail(9600, channel: channel)
                    // What else there is: 60 dB below the tone.
                    let heard = amplitude(of: 440, in: tail, sampleRate: 48_000)
                    #expect(abs(heard - 0.5) < 0.005)
                    #expect(abs(level(of: tail) - 0.5 / 2.0.squareRoot()) < 0.003)
                }
                return listener.longestRead
            } isRight: { $0 < .milliseconds(100) }
            #expect(longestRead < .milliseconds(100))
            player.end(SIGKILL)
        }

        @Test("A device is taken at its own rate and with its own channels", arguments: [
            AudioFormat(sampleRate: 44_100, channels: 1), AudioFormat(sampleRate: 96_000, channels: 6),
        ])
        func ownFormat(_ format: AudioFormat) throws {
            let server = try SoundServer([
                "\(SoundServer.nullSink)=own rate=\(format.sampleRate) channels=\(format.channels) format=float32le"
            ])
            // At that rate: PulseAudio gives an idle sink the rate of what is played, if it likes that better.
            let tone = Tone(frequency: 1000, sampleRate: format.sampleRate)
            let player = try server.play(tone, into: "own")
            let source = DeviceSource("pulse:own.monitor", server: server.address)
            var listener = Listener(source)
            try #require(try listener.hears(tone))
            let recording = try listener.record(for: .seconds(5)) { $0[0].frames < format.sampleRate }[0]
            #expect(source.format == format)
            #expect(recording.blocks.allSatisfy { $0.format == format })
            let tail = recording.tail(format.sampleRate / 5)
            #expect(abs(amplitude(of: 1000, in: tail, sampleRate: format.sampleRate) - 0.5) < 0.01)
            // As many frames as time went by, whenever they were read.
            let (first, last) = (try #require(recording.blocks.first), try #require(recording.blocks.last))
            let played = format.duration(frames: recording.frames - last.frameCount)
            #expect(abs((last.capturedAt - first.capturedAt - played).inMilliseconds) < 50)
            let age = try #require(recording.age)
            #expect(age > .milliseconds(-20) && age < .milliseconds(100))
            player.end(SIGKILL)
        }

        @Test(
            "Surround sound is mixed by what the server says of its channels",
            arguments: [
                ("front-left,front-right,front-center,lfe,rear-left,rear-right",
                    [ChannelPosition.frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearLeft, .rearRight]),
                ("front-left,front-right,rear-left,rear-right,front-center",
                    [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre]),
                ("front-right,front-left", [.frontRight, .frontLeft]),
                ("front-left", [.mono]),
            ])
        func surround(map: String, positions: [ChannelPosition]) throws {
            let server = try SoundServer([
                "\(SoundServer.nullSink)=own rate=48000 channels=\(positions.count) channel_map=\(map)"
            ])
            let source = DeviceSource("pulse:own.monitor", server: server.address)
            var listener = Listener(source)
            _ = try listener.record(for: .seconds(2)) { _ in !source.isOpen }
            try #require(source.isOpen)
            #expect(source.channelMap == ChannelMap(positions))
        }

        @Test("Microphone and system sound come at the same time to one thread, each with its own tone")
        func both() throws {
            let server = try SoundServer()
            try server.control("set-default-source", "microphone")
            let voice = Tone(frequency: 300, amplitude: 0.3)
            let music = Tone(frequency: 2000, amplitude: 0.6)
            let players = [try server.play(voice, into: "cable"), try server.play(music, into: "speakers")]
            let microphone = DeviceSource(AudioDevice.defaultMicrophone, server: server.address)
            let system = DeviceSource(AudioDevice.defaultSystem, server: server.address)
            var listener = Listener(microphone, system)
            // Until both are under way.
            _ = try listener.record(for: .seconds(4)) { recordings in
                recordings.contains { $0.frames < ($0.format?.sampleRate ?? 0) / 2 || $0.blocks.isEmpty }
            }
            // In how many pieces a period comes, and how late its bell is rung, is the server's affair: where it is late,
            // as beside a build, it wakes its listeners twice for seconds on end. A thread that turns without need, or
            // leaves something, does so in each of three measures.
            let (recordings, idleWakeups, leftOver) = try bestOf(3) { () -> ([Recording], Int, Int) in
                listener.idleWakeups = 0
                let recordings = try halfASecond(of: &listener)
                let idleWakeups = listener.idleWakeups
                return (recordings, idleWakeups, try turnsThatLeftSomething(&listener))
            } isRight: { $0.1 < 50 && $0.2 < 10 }
            #expect(recordings.map(\.format) == [AudioFormat(sampleRate: 32_000, channels: 1), .stereo48k])
            let heard = zip(recordings, [(voice, music), (music, voice)])
            for (recording, (own, other)) in heard {
                let rate = try #require(recording.format).sampleRate
                let tail = recording.tail(rate / 5)
                #expect(abs(amplitude(of: own.frequency, in: tail, sampleRate: rate) - own.amplitude) < 0.02)
                #expect(amplitude(of: other.frequency, in: tail, sampleRate: rate) < 0.001)
            }
            // The thread's is to wake up for sound, or what the server says of it, which is a message for every other of
            // a hundred periods at most; and to take all there is at once.
            #expect(idleWakeups < 50)
            #expect(leftOver < 10)
            players.forEach { $0.end(SIGKILL) }
        }

        /// Of fifty turns, how many left something in a source that they had read. A server is quick enough for a few.
        private func turnsThatLeftSomething(_ listener: inout Listener) throws -> Int {
            var turns = 0
            for _ in 0..<50 {
                let blocks = try listener.turn()
                let isLeft = try zip(blocks, listener.sources).contains {
                    try $0 != nil && $1.read(at: SystemClock.now()) != nil
                }
                if isLeft { turns += 1 }
            }
            return turns
        }

        /// Half a second, and as much of either source as is looked at.
        private func halfASecond(of listener: inout Listener) throws -> [Recording] {
            let begin = SystemClock.now()
            return try listener.record(for: .seconds(5)) { recordings in
                if SystemClock.now() - begin < .milliseconds(500) { return true }
                return recordings.contains { $0.frames < ($0.format?.sampleRate ?? .max) / 5 }
            }
        }

        @Test("The descriptors of a device that gives nothing yet keep nobody busy", arguments: Route.allCases)
        func quiet(_ route: Route) throws {
            // Such a sink starts with a silence of up to two seconds in one piece.
            let server = try SoundServer(["module-null-sink sink_name=speakers"])
            var listener = Listener(route.source("speakers.monitor", of: server))
            let start = SystemClock.now()
            _ = try listener.record(for: .milliseconds(600))
            #expect(SystemClock.now() - start < .seconds(1))
            #expect(listener.wakeups < 120)
        }
    }
}
