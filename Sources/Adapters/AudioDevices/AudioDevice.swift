import Media

/// A device that sound can be captured from.
package struct AudioDevice: Hashable, Sendable {
    /// `system` is what is to be heard on an output (in PulseAudio's words the monitor of a sink).
    package var kind: AudioKind
    /// What `DeviceSource` opens; the same as long as the device exists: "pulse:NAME" for a source of the sound server,
    /// or else a PCM of ALSA's configuration such as "hw:CARD=PCH,DEV=0".
    package var id: String
    /// For people.
    package var name: String
    /// Used unless another one of its kind is named.
    package var isDefault: Bool

    /// The sound server's default source, or ALSA's default PCM where there is no sound server.
    package static let defaultMicrophone = "default"
    /// The monitor of the sound server's default sink.
    package static let defaultSystem = "pulse:@DEFAULT_MONITOR@"
}
