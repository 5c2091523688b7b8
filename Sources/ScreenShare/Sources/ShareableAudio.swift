import AudioDevices

/// A device that sound can be captured from.
public struct ShareableAudio: Hashable, Sendable, Encodable {
    /// What `ShareAudioSource.device` takes.
    public let id: String
    /// For people.
    public let name: String
    /// `system` is what is to be heard on an output.
    public let kind: SharedAudio
    /// Used unless another one of its kind is named.
    public let isDefault: Bool

    /// Whether there are signs of sound: a sound server's socket or address, a sound card, a configuration of ALSA's. To ask
    /// the devices themselves costs two megabytes, which a machine without sound is spared.
    public static var mayExist: Bool { SoundSigns().areThere }

    /// Asks the sound server and ALSA; a machine without sound has an empty list. Blocks for up to two seconds where a
    /// server does not answer.
    public static func list() -> [ShareableAudio] {
        AudioDevice.list().map { device in
            ShareableAudio(
                id: device.id, name: device.name, kind: SharedAudio(device.kind), isDefault: device.isDefault)
        }
    }

    /// Whether an id can't be any device's: ALSA, which would open it, has no definition of it.
    package static func isUnknown(_ id: String) -> Bool { !AudioDevice.mayExist(id) }
}

extension SharedAudio: Encodable {}
