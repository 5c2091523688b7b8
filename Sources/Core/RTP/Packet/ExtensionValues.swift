import Timebase

/// When a packet left: seconds as unsigned 6.18 fixed point, wrapping at 64 s.
package struct AbsoluteSendTime: Hashable, Sendable {
    /// 24 bits.
    package var bits: UInt32

    package init(bits: UInt32) {
        self.bits = bits & 0xff_ffff
    }

    package init(_ instant: Instant) {
        let nanoseconds = UInt64(bitPattern: instant.nanoseconds) % 64_000_000_000
        bits = UInt32(truncatingIfNeeded: (nanoseconds << 18) / 1_000_000_000) & 0xff_ffff
    }
}

/// The bounds within which a receiver may choose its playout delay, in steps of 10 ms.
package struct PlayoutDelay: Hashable, Sendable {
    /// Units of 10 ms, 12 bits each.
    package var minimum: UInt16
    package var maximum: UInt16

    package init(minimum: UInt16, maximum: UInt16) {
        self.minimum = min(minimum, 0xfff)
        self.maximum = min(maximum, 0xfff)
    }

    /// Show at once.
    package static let none = PlayoutDelay(minimum: 0, maximum: 0)
    /// In step with sound that leaves the sharer so late. In a browser it is later than pictures by that and 40 ms (a
    /// jitter buffer of 20 to 35, the device); by itself Chromium takes half a minute to find out, and needs room for it:
    /// half a second at most.
    package static func lipSync(soundDelay: Duration) -> PlayoutDelay {
        let tens = (soundDelay.inMilliseconds + 40) / 10
        return PlayoutDelay(minimum: UInt16(max(0, min(25, tens.rounded()))), maximum: 50)
    }

    /// With so much time before a picture is shown, at least, and room for more.
    package func raised(to time: Duration) -> PlayoutDelay {
        let tens = UInt16(max(0, min(100, (time.inMilliseconds / 10).rounded(.up))))
        return PlayoutDelay(minimum: max(minimum, tens), maximum: max(maximum, tens + 25, 50))
    }

    var bits: UInt32 { UInt32(minimum) << 12 | UInt32(maximum) }

    init(bits: UInt32) {
        self.init(minimum: UInt16(truncatingIfNeeded: bits >> 12 & 0xfff), maximum: UInt16(bits & 0xfff))
    }
}

/// What the video shows; any other value than the two known ones is kept as it came.
package struct VideoContentType: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let screen = VideoContentType(rawValue: 1)
}

/// When the frame was captured, on the capturing machine's wall clock.
package struct AbsoluteCaptureTime: Hashable, Sendable {
    package var captured: NTPTimestamp
    /// Signed 32.32 fixed point: what the capture clock is ahead of the sender's; nil where not sent.
    package var estimatedClockOffset: Int64?

    package init(captured: NTPTimestamp, estimatedClockOffset: Int64? = nil) {
        self.captured = captured
        self.estimatedClockOffset = estimatedClockOffset
    }
}

/// How the picture must be turned to be upright (3GPP TS 26.114 § 7.4.5).
package struct VideoOrientation: Hashable, Sendable {
    package var isBackFacingCamera: Bool
    package var isFlipped: Bool
    /// 0…3.
    package var quarterTurns: UInt8

    package init(isBackFacingCamera: Bool = false, isFlipped: Bool = false, quarterTurns: UInt8) {
        self.isBackFacingCamera = isBackFacingCamera
        self.isFlipped = isFlipped
        self.quarterTurns = quarterTurns & 3
    }

    var byte: UInt8 { (isBackFacingCamera ? 8 : 0) | (isFlipped ? 4 : 0) | quarterTurns }

    init(byte: UInt8) {
        self.init(isBackFacingCamera: byte & 8 != 0, isFlipped: byte & 4 != 0, quarterTurns: byte)
    }
}

/// The loudness of a packet's sound (RFC 6464 § 3).
package struct AudioLevel: Hashable, Sendable {
    package var hasVoice: Bool
    /// 0 (loudest) … 127 (silence), as −dBov.
    package var level: UInt8

    package init(hasVoice: Bool, level: UInt8) {
        self.hasVoice = hasVoice
        self.level = min(level, 127)
    }

    var byte: UInt8 { (hasVoice ? 0x80 : 0) | level }

    init(byte: UInt8) {
        self.init(hasVoice: byte & 0x80 != 0, level: byte & 0x7f)
    }
}
