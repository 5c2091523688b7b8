import Media
import Timebase

/// What an Opus encoder is opened with, and keeps.
package struct OpusConfiguration: Hashable, Sendable {
    /// How much sound goes into a packet. Both are one frame, which every mode of Opus has.
    package enum PacketDuration: Int, Hashable, Sendable, CaseIterable {
        /// Half the delay, for twice the packets: some 25 kbit/s of headers more.
        case milliseconds10 = 10
        /// WebRTC's default (RFC 7587 § 6.1, `ptime`).
        case milliseconds20 = 20

        package var duration: Duration { .milliseconds(rawValue) }
        /// At 48 kHz.
        package var frames: Int { rawValue * 48 }
    }

    package var packetDuration = PacketDuration.milliseconds20
    /// 0 to 10: how hard the encoder searches. From 7 on it tells speech from music and finds silence for DTX, which
    /// below it does not work. That takes 0.4 to 0.6 % of a core at 96 kbit/s, and a third less without DTX and while sound
    /// stays loud, for then it works at 5; 0 takes 0.2 %.
    package var complexity = 7

    package init() {}
}
