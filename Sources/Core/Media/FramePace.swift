/// When frames leave.
package enum FramePace: Hashable, Sendable {
    /// On a grid of the rate that was asked for.
    case fixed
    /// At the rate and in the phase of what plays, once that is known; each of its pictures once, none of its repeats.
    case following
}
