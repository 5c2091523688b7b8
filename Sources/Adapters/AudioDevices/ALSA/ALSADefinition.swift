import CALSA
import Glibc
import SystemClock
import Timebase

/// The names of ALSA's configuration, which may have parameters ("plug:hw:1").
enum ALSADefinition {
    /// False where no PCM has that name; whether there is a card behind it, opening tells. Blocks for as long as it takes to
    /// load the configuration.
    static func mayExist(_ name: String) -> Bool { ALSALog().during { isFound(name) } }

    /// As `snd_pcm_open` looks for it. That asks some cards whether they are there ("sysdefault:1"), and a missing one is told
    /// as a missing name is: then the name without its parameters counts.
    private static func isFound(_ name: String) -> Bool {
        var top: OpaquePointer?
        guard snd_config_update_ref(&top) >= 0, let top else { return true }
        defer { snd_config_unref(top) }
        var definition: OpaquePointer?
        let result = snd_config_search_definition(top, "pcm", name, &definition)
        if let definition { snd_config_delete(definition) }
        if result != -ENOENT { return true }
        var kind: OpaquePointer?
        return snd_config_search(top, "pcm." + name.prefix { $0 != ":" }, &kind) >= 0
    }
}

extension AudioDevice {
    /// Whether there may be a device of this id, now or later. False only for what ALSA would open and has no definition of:
    /// the sound server's come and go. Blocks for two seconds at most.
    package static func mayExist(_ id: String) -> Bool {
        guard case .pcm(let name) = DeviceAddress(id) else { return true }
        let call = try? BlockingCall(name: "alsa-look") { ALSADefinition.mayExist(name) }
        return call?.value(until: SystemClock.now() + Limits.listTime) ?? true
    }
}
