import RTP

/// What distinguishes one encoder's output from another's: every viewer is sent exactly one lane.
///
/// The profile is no part of it: a lane is High as long as each of its viewers takes that, else constrained baseline,
/// which those who take High decode as well.
package struct LaneKey: Hashable, Sendable {
    package var packetizationMode: PacketizationMode

    package init(packetizationMode: PacketizationMode) {
        self.packetizationMode = packetizationMode
    }

    /// What every viewer but the odd one takes.
    package static let standard = LaneKey(packetizationMode: .nonInterleaved)
}
