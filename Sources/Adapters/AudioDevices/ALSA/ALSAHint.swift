import CALSA
import Glibc
import Media

/// What ALSA's configuration says about one of its PCMs.
struct ALSAHint: Hashable {
    var name: String
    /// Several lines.
    var description: String?
    /// "Input" or "Output"; nil where it is both.
    var direction: String?

    /// Blocks for as long as it takes to load the configuration.
    static func all() -> [ALSAHint] {
        var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard ALSALog().during({ snd_device_name_hint(-1, "pcm", &list) }) >= 0, let list else { return [] }
        defer { snd_device_name_free_hint(list) }
        var hints: [ALSAHint] = []
        while hints.count < Limits.devices, let hint = list[hints.count] {
            hints.append(
                ALSAHint(
                    name: field("NAME", of: hint) ?? "", description: field("DESC", of: hint),
                    direction: field("IOID", of: hint)))
        }
        return hints
    }

    private static func field(_ name: String, of hint: UnsafeRawPointer) -> String? {
        guard let value = snd_device_name_get_hint(hint, name) else { return nil }
        defer { free(value) }
        return text(value)
    }
}

extension AudioDevice {
    /// A PCM that captures: a card's own, or one that somebody wrote into the configuration. What else comes with ALSA
    /// are other ways to the same cards.
    init?(_ hint: ALSAHint) {
        let isCard = hint.name.hasPrefix(DeviceAddress.cardPrefix)
        guard hint.direction != "Output", isCard || !hint.name.contains(":") else { return nil }
        guard !hint.name.isEmpty, !Self.comesWithALSA.contains(hint.name) else { return nil }
        let lines = hint.description?.split(separator: "\n") ?? []
        self.init(
            kind: .microphone, id: hint.name, name: lines.first.map(String.init) ?? hint.name, isDefault: false)
    }

    /// The PCMs that ALSA and its plugins define by themselves.
    private static let comesWithALSA: Set<String> = [
        "null", "default", "sysdefault", "lavrate", "samplerate", "speexrate", "jack", "oss", "pulse", "pipewire",
        "speex", "upmix", "vdownmix", "a52", "usbstream",
    ]
}
