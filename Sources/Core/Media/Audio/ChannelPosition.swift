/// Where the loudspeaker of a channel stands.
package enum ChannelPosition: Hashable, Sendable {
    /// The only one there is, or on both sides alike.
    case mono
    case frontLeft, frontRight, frontCentre
    /// Below 120 Hz.
    case lowFrequency
    case rearLeft, rearRight, rearCentre
    case sideLeft, sideRight
    /// Anywhere: heard by nobody.
    case other
}
