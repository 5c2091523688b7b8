/// What the id of a device stands for.
enum DeviceAddress: Hashable {
    /// The sound server's default source, or ALSA's default PCM where there is no server.
    case defaultMicrophone
    case pulse(PulseTarget)
    /// A PCM of ALSA's configuration.
    case pcm(String)

    init(_ id: String) {
        switch id {
        case AudioDevice.defaultMicrophone: self = .defaultMicrophone
        case AudioDevice.defaultSystem: self = .pulse(.defaultMonitor)
        case "pulse", "pulse:@DEFAULT_SOURCE@": self = .pulse(.defaultMicrophone)
        default:
            guard id.hasPrefix(Self.pulsePrefix) else {
                self = .pcm(id)
                return
            }
            self = .pulse(.named(String(id.dropFirst(Self.pulsePrefix.count))))
        }
    }

    static let pulsePrefix = "pulse:"
    static let cardPrefix = "hw:"
}
