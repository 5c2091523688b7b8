import RTP

/// What distinguishes one encoder's output from another's: every viewer is sent exactly one lane.
///
/// The profile is no part of it: a lane is High as long as each of its viewers takes that, else constrained baseline,
/// which those who take High decode as well.
package struct LaneKey: Hashable, Sendable {
    package var packetizationMode: PacketizationMode
    /// 0 for all whose paths carry about the same; slower ones have rungs of their own.
    package var rung: Int

    package init(packetizationMode: PacketizationMode, rung: Int = 0) {
        self.packetizationMode = packetizationMode
        self.rung = rung
    }

    /// What every viewer but the odd one takes.
    package static let standard = LaneKey(packetizationMode: .nonInterleaved)
}
