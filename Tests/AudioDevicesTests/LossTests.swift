import AudioDevices
import Glibc
import Media
import SystemClock
import TestSupport
import Testing
import Timebase

extension SoundServerSuite {
    @Suite("Devices that vanish or hang")
    struct LossTests {
        @Test("A killed server ends the source at once, and with it back the device can be opened again")
        func killed() throws {
            let server = try SoundServer()
            let (time, longestRead) = try bestOf(3) {
                try killAndRestart(server)
            } isRight: { $0.time < .milliseconds(300) && $0.longestRead < .milliseconds(100) }
            #expect(time < .milliseconds(300))
            #expect(longestRead < .milliseconds(100))

            let tone = Tone(frequency: 440)
            let player = try server.play(tone, into: "speakers")
            var listener = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
            #expect(try listener.hears(tone))
            player.end(SIGKILL)
        }

        /// How long a source takes to say that its server is gone, and the longest of its reads until then.
        private func killAndRestart(_ server: SoundServer) throws -> (time: Duration, longestRead: Duration) {
            let tone = Tone(frequency: 440)
            let player = try server.play(tone, into: "speakers")
            var listener = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
            try #require(try listener.hears(tone))
            server.kill()
            let time = elapsed {
                #expect(listener.recordUntilError(for: .seconds(3)) == .lost("The sound server is gone."))
            }
            let longestRead = listener.longestRead
            // It stays so.
            #expect(listener.recordUntilError(for: .seconds(1)) == .lost("The sound server is gone."))
            player.end(SIGKILL)
            try server.start()
            return (time, longestRead)
        }

        @Test("A microphone that a server had is not taken from elsewhere while that is gone")
        func serverReturns() throws {
            let server = try SoundServer()
            let memory = DeviceMemory()
            func microphone() -> Listener {
                Listener(DeviceSource(AudioDevice.defaultMicrophone, server: server.address, memory: memory))
            }
            var listener = microphone()
            let isOpen = try opens(&listener)
            #expect(isOpen)
            server.kill()
            _ = listener.recordUntilError(for: .seconds(2))
            listener = microphone()
            guard case .unavailable(let text)? = listener.recordUntilError(for: .seconds(2)) else {
                return _ = Issue.record("ALSA's default was opened in its place")
            }
            #expect(text.contains("No sound server answers"))
            try server.start()
            listener = microphone()
            let isOpenAgain = try opens(&listener)
            #expect(isOpenAgain)
        }

        /// Whether its source does, however long that takes.
        private func opens(_ listener: inout Listener) throws -> Bool {
            let source = listener.sources[0]
            _ = try listener.record(for: .seconds(5)) { _ in !source.isOpen }
            return source.isOpen
        }

        @Test("Where the process may open no more files a device says so, and nothing ends")
        func noDescriptors() async {
            await #expect(processExitsWith: .success) {
                Shortage.ofFiles()
                do throws(AudioSourceError) {
                    _ = try DeviceSource(AudioDevice.defaultSystem).read(at: SystemClock.now())
                    exit(1)
                } catch {
                    exit("\(error)".contains("no more files") ? 0 : 2)
                }
            }
        }

        @Test("Without a server opening ends with a message that says what to do, soon, and starts no server")
        func noServer() throws {
            let server = try SoundServer()
            server.kill()
            var error: AudioSourceError?
            let time = bestOf(3) { () -> Duration in
                var listener = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
                return elapsed { error = listener.recordUntilError(for: .seconds(2)) }
            } isRight: { $0 < .milliseconds(300) }
            #expect(error == .unavailable("""
                No sound server answers (Connection refused). \
                System sound needs PulseAudio, or PipeWire with pipewire-pulse.
                """))
            #expect(time < .milliseconds(300))
        }

        @Test("A source that does not exist is refused with those that do")
        func unknown() throws {
            let server = try SoundServer()
            var listener = Listener(DeviceSource("pulse:nonsense", server: server.address))
            let error = listener.recordUntilError(for: .seconds(2))
            #expect(error == .unavailable("""
                The sound server has no source "nonsense". \
                It has: speakers.monitor, headphones.monitor, cable.monitor, microphone.
                """))
        }

        @Test("A server that hangs blocks no read, neither of a device that is open nor of one that is being opened")
        func stopped() throws {
            let server = try SoundServer()
            let tone = Tone(frequency: 440)
            let player = try server.play(tone, into: "speakers")
            let longestRead = try bestOf(3) { () -> Duration in
                var open = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
                try #require(try open.hears(tone))
                server.stop()
                open.wakeups = 0
                var opening = Listener(DeviceSource("pulse:headphones.monitor", server: server.address))
                _ = try open.record(for: .milliseconds(400))
                _ = try opening.record(for: .milliseconds(400))
                let longestRead = max(open.longestRead, opening.longestRead)
                #expect(open.wakeups < 10)
                server.resume()
                // Both go on, and what was not heard shows in the timestamps.
                #expect(try open.hears(tone))
                let age = try #require(try open.record(for: .milliseconds(500))[0].age)
                #expect(age < .milliseconds(200))
                _ = try opening.record(for: .seconds(3)) { $0[0].blocks.isEmpty }
                #expect(opening.sources[0].isOpen)
                return longestRead
            } isRight: { $0 < .milliseconds(100) }
            #expect(longestRead < .milliseconds(100))
            player.end(SIGKILL)
        }

        @Test("A source that is let go while its server hangs keeps nobody, whether it was open or not yet")
        func abandoned() throws {
            let server = try SoundServer()
            let time = try bestOf(3) { () -> Duration in
                var open: Listener? = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
                _ = try open?.record(for: .seconds(3)) { $0[0].blocks.isEmpty }
                server.stop()
                defer { server.resume() }
                return elapsed {
                    open = nil
                    _ = DeviceSource(AudioDevice.defaultSystem, server: server.address)
                }
            } isRight: { $0 < .milliseconds(100) }
            #expect(time < .milliseconds(100))
        }

        @Test("An output that is unplugged ends the source: the server would go on with the microphone")
        func unplugged() throws {
            let server = try SoundServer()
            try server.control("set-default-source", "microphone")
            let secret = Tone(frequency: 700)
            let player = try server.play(secret, into: "cable")
            var listener = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
            _ = try listener.record(for: .seconds(3)) { $0[0].frames < 4800 }
            // The first module after the protocol. What is heard until it is gone waits meanwhile.
            let unloading = try elapsed { try server.control("unload-module", "1") }
            var heard = Recording()
            var error: AudioSourceError?
            let deadline = SystemClock.now() + .seconds(2)
            while error == nil, SystemClock.now() < deadline {
                do throws(AudioSourceError) {
                    for case let block? in try listener.turn() { heard.blocks.append(block) }
                } catch let failure {
                    error = failure
                }
            }
            #expect(error == .lost("Monitor of Test Speakers is gone."))
            #expect(heard.frames < 9600 + AudioFormat.stereo48k.frames(in: unloading))
            #expect(level(of: heard.tail(heard.frames)) < 0.001)
            player.end(SIGKILL)
        }

        @Test("Another default output ends the source, so that the caller follows it; a named one stays")
        func otherDefault() throws {
            let server = try SoundServer()
            var listener = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
            var named = Listener(DeviceSource("pulse:speakers.monitor", server: server.address))
            _ = try listener.record(for: .seconds(3)) { $0[0].frames < 4800 }
            _ = try named.record(for: .seconds(3)) { $0[0].frames < 4800 }
            try server.control("set-default-sink", "headphones")
            #expect(
                listener.recordUntilError(for: .seconds(2))
                    == .lost("Monitor of Test Speakers is not the default any more."))
            #expect(named.recordUntilError(for: .milliseconds(200)) == nil)
            listener = Listener(DeviceSource(AudioDevice.defaultSystem, server: server.address))
            _ = try listener.record(for: .seconds(3)) { $0[0].blocks.isEmpty }
            #expect(listener.sources[0].format == AudioFormat(sampleRate: 44_100, channels: 1))
        }
    }
}
