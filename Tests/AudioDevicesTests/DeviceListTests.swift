import Media
import TestSupport
import Testing
import Timebase

@testable import AudioDevices

extension SoundServerSuite {
    @Suite("The list of devices")
    struct DeviceListTests {
        @Test("Sources have readable names and ids that stay, and are told apart as microphone or system sound")
        func names() throws {
            let server = try SoundServer()
            try server.control("set-default-sink", "headphones")
            try server.control("set-default-source", "microphone")
            let list = AudioDevice.list(server: server.address)
            #expect(list.microphones.filter { $0.id.hasPrefix("pulse:") } == [
                AudioDevice(
                    kind: .microphone, id: "pulse:microphone", name: "Test Microphone", isDefault: true)
            ])
            #expect(list.systemSounds == [
                AudioDevice(
                    kind: .system, id: "pulse:speakers.monitor", name: "Monitor of Test Speakers", isDefault: false),
                AudioDevice(
                    kind: .system, id: "pulse:headphones.monitor", name: "Monitor of Test Headphones",
                    isDefault: true),
                AudioDevice(
                    kind: .system, id: "pulse:cable.monitor", name: "Monitor of Test Cable", isDefault: false),
            ])
        }

        @Test("A monitor is nobody's microphone, even where it is the default source")
        func noMicrophone() throws {
            let server = try SoundServer(["module-null-sink sink_name=speakers"])
            let list = AudioDevice.list(server: server.address)
            #expect(list.systemSounds.map(\.isDefault) == [true])
            #expect(!list.microphones.contains { $0.id.hasPrefix("pulse:") })
            var listener = Listener(DeviceSource(AudioDevice.defaultMicrophone, server: server.address))
            let error = listener.recordUntilError(for: .seconds(2))
            #expect(error == .unavailable(
                "There is no microphone: connect one, or choose it in the settings for sound."))
        }

        @Test("Without a server the list is quiet about it, at once; a stopped one delays it by two seconds at most")
        func noServer() throws {
            let server = try SoundServer()
            server.stop()
            func loading() -> Duration {
                elapsed { #expect(AudioDevice.list(server: server.address).systemSounds.isEmpty) }
            }
            let waiting = bestOf(3) { loading() } isRight: { $0 < .milliseconds(2500) }
            #expect(waiting < .milliseconds(2500))
            server.kill()
            let time = bestOf(3) { loading() } isRight: { $0 < .milliseconds(500) }
            #expect(time < .milliseconds(500))
        }
    }
}

extension [AudioDevice] {
    fileprivate var microphones: [AudioDevice] { filter { $0.kind == .microphone } }
    fileprivate var systemSounds: [AudioDevice] { filter { $0.kind == .system } }
}
