import Timebase

/// What is to be encoded as one packet.
package struct AudioPacket: Sendable {
    /// Of the first frame, on the stream's clock: steady, whatever the devices do.
    package var time: AudioTime
    /// 48 kHz stereo, interleaved.
    package var samples: [Float]
    /// When the first frame was heard, on the monotonic clock.
    package var capturedAt: Instant

    package init(time: AudioTime, samples: [Float], capturedAt: Instant) {
        self.time = time
        self.samples = samples
        self.capturedAt = capturedAt
    }
}
