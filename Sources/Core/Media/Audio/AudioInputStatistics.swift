/// How a source of sound fares.
package struct AudioInputStatistics: Hashable, Sendable {
    /// How often sound ran dry that had been playing.
    package var gaps: Int
    /// How often the device lost frames, or gave some twice.
    package var jumps: Int
    /// Blocks refused for their format or length.
    package var blocksRefused: Int
    /// From when sound is heard by the device until the packet that begins with it leaves.
    package var delay: Duration
    /// Of this, what comes behind the device: from when it hands sound over until the packet that begins with it leaves.
    package var wait: Duration
    /// Of the device against the monotonic clock: 0.0001 is 100 ppm fast.
    package var drift: Double
}
