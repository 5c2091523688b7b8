/// When frames leave.
package enum FramePace: Hashable, Sendable {
    /// On a grid of the rate that was asked for.
    case fixed
    /// On that grid too, and every change is looked at, to see whether something plays.
    case watching
    /// At the rate and in the phase of what plays, once that is known; each of its pictures once, none of its repeats.
    case following
}
