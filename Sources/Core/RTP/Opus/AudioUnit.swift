import Timebase

/// One Opus packet (RFC 7587 § 4.2), made once and shared by all viewers that take sound.
package final class AudioUnit: Sendable {
    package let bytes: [UInt8]
    package let time: AudioTime
    /// When its first sample was heard.
    package let capturedAt: Instant
    /// There is nothing to be heard in it: viewers need not get it (RFC 7587 § 3.1.3).
    package let isSilent: Bool

    package init(bytes: [UInt8], time: AudioTime, capturedAt: Instant, isSilent: Bool) {
        self.bytes = bytes
        self.time = time
        self.capturedAt = capturedAt
        self.isSilent = isSilent
    }
}
