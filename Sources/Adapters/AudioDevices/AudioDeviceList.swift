import SystemClock
import Timebase

/// The devices that sound can be captured from.
package struct AudioDeviceList: Hashable, Sendable, Codable {
    /// The sound server's first, then those of ALSA.
    package var devices: [AudioDevice]

    package var microphones: [AudioDevice] { devices.filter { $0.kind == .microphone } }
    package var systemSounds: [AudioDevice] { devices.filter { $0.kind == .system } }

    /// Asks the sound server and ALSA. A machine without sound has an empty list. Blocks for up to two seconds, where a
    /// server doesn't answer.
    ///
    /// - Parameter server: as `PULSE_SERVER` has it; by default that of the environment.
    package static func load(server: String? = nil) -> AudioDeviceList {
        let deadline = SystemClock.now() + Limits.listTime
        // Loading ALSA's configuration asks the sound server too, without a time limit.
        let hints = try? BlockingCall(name: "alsa-hints") { ALSAHint.all() }
        let sources = pulseDevices(server, until: deadline)
        var own = (hints?.value(atMost: deadline - SystemClock.now()) ?? []).compactMap(AudioDevice.init)
        if sources.isEmpty, let card = own.firstIndex(where: { $0.id.hasPrefix(DeviceAddress.cardPrefix) }) {
            own[card].isDefault = true
        }
        return AudioDeviceList(devices: sources + own)
    }

    private static func pulseDevices(_ address: String?, until deadline: Instant) -> [AudioDevice] {
        do throws(PulseFailure) {
            let server = try PulseServer.connect(to: address, until: deadline)
            let defaults = try server.askDefaults(until: deadline)
            return try server.askSources(until: deadline).map { AudioDevice($0, defaults) }
        } catch {
            return []
        }
    }
}

extension AudioDevice {
    init(_ source: PulseSource, _ defaults: PulseServer.Defaults) {
        let target: PulseTarget = source.isMonitor ? .defaultMonitor : .defaultMicrophone
        self.init(
            kind: source.isMonitor ? .system : .microphone, id: DeviceAddress.pulsePrefix + source.name,
            name: source.description, isDefault: target.isMet(by: source, defaults))
    }
}
