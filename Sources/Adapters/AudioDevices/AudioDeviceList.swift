import Media
import SystemClock
import Timebase

/// The devices that sound can be captured from.
package struct AudioDeviceList: Hashable, Sendable {
    /// The sound server's first, then those of ALSA.
    package var devices: [AudioDevice]

    /// Asks the sound server and ALSA. A machine without sound has an empty list. Blocks for up to two seconds, where a
    /// server doesn't answer.
    ///
    /// - Parameter server: as `PULSE_SERVER` has it; by default that of the environment.
    package static func load(server: String? = nil) -> AudioDeviceList {
        let deadline = SystemClock.now() + Limits.listTime
        // Loading ALSA's configuration asks the sound server too, and libpulse the display, without a time limit.
        let hints = try? BlockingCall(name: "alsa-hints") { ALSAHint.all() }
        let sources = try? BlockingCall(name: "pulse-list") { pulseDevices(server, until: deadline) }
        return AudioDeviceList(
            sources: sources?.value(atMost: deadline - SystemClock.now()) ?? [],
            hints: hints?.value(atMost: deadline - SystemClock.now()) ?? [])
    }

    /// - Parameter sources: the sound server's; without them ALSA's default is opened, and which card that is stands in its
    ///   configuration.
    init(sources: [AudioDevice], hints: [ALSAHint]) {
        let own = hints.compactMap(AudioDevice.init)
        let hasDefault = sources.isEmpty && own.contains { $0.id.hasPrefix(DeviceAddress.cardPrefix) }
        devices = sources + (hasDefault ? [AudioDevice.alsaDefault] : []) + own
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
    fileprivate static let alsaDefault = AudioDevice(
        kind: .microphone, id: defaultMicrophone, name: "ALSA's default microphone", isDefault: true)

    init(_ source: PulseSource, _ defaults: PulseServer.Defaults) {
        let target: PulseTarget = source.isMonitor ? .defaultMonitor : .defaultMicrophone
        self.init(
            kind: source.isMonitor ? .system : .microphone, id: DeviceAddress.pulsePrefix + source.name,
            name: source.description, isDefault: target.isMet(by: source, defaults))
    }
}
