import RTP

/// What distinguishes one encoder's output from another's: every viewer is sent exactly one lane.
package struct LaneKey: Hashable, Sendable {
    package enum Profile: Hashable, Sendable {
        case constrainedBaseline
        case high
    }

    package var profile: Profile
    package var packetizationMode: PacketizationMode

    package init(profile: Profile, packetizationMode: PacketizationMode) {
        self.profile = profile
        self.packetizationMode = packetizationMode
    }

    /// What every viewer but the odd one takes.
    package static let standard = LaneKey(profile: .constrainedBaseline, packetizationMode: .nonInterleaved)
}
