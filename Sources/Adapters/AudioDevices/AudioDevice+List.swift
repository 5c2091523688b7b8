import Media
import SystemClock
import Timebase

extension AudioDevice {
    /// Asks the sound server and ALSA, and lists their devices in this order. A machine without sound has an empty list.
    /// Blocks for up to two seconds, where a server doesn't answer.
    ///
    /// - Parameter server: as `PULSE_SERVER` has it; by default that of the environment.
    package static func list(server: String? = nil) -> [AudioDevice] {
        let deadline = SystemClock.now() + Limits.listTime
        // Loading ALSA's configuration asks the sound server too, and libpulse the display, without a time limit.
        let hints = try? BlockingCall(name: "alsa-hints") { ALSAHint.all() }
        let sources = try? BlockingCall(name: "pulse-list") { pulseDevices(server, until: deadline) }
        return list(
            sources: sources?.value(until: deadline) ?? [],
            hints: hints?.value(until: deadline) ?? [])
    }

    /// - Parameter sources: the sound server's; without them ALSA's default is opened, and which card that is stands in its
    ///   configuration.
    static func list(sources: [AudioDevice], hints: [ALSAHint]) -> [AudioDevice] {
        let own = hints.compactMap(AudioDevice.init)
        let hasDefault = sources.isEmpty && own.contains { $0.id.hasPrefix(DeviceAddress.cardPrefix) }
        return sources + (hasDefault ? [alsaDefault] : []) + own
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

    private static let alsaDefault = AudioDevice(
        kind: .microphone, id: defaultMicrophone, name: "ALSA's default microphone", isDefault: true)

    init(_ source: PulseSource, _ defaults: PulseServer.Defaults) {
        let target: PulseTarget = source.isMonitor ? .defaultMonitor : .defaultMicrophone
        self.init(
            kind: source.isMonitor ? .system : .microphone, id: DeviceAddress.pulsePrefix + source.name,
            name: source.description, isDefault: target.isMet(by: source, defaults))
    }
}
