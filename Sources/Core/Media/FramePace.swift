/// When frames leave.
package enum FramePace: Hashable, Sendable {
    /// On a grid of the rate that was asked for.
    case fixed
    /// On that grid too, and every change is looked at, to see whether something plays.
    case watching
    /// At the rate and in the phase of what plays, once that is known; each of its pictures once, none of its repeats.
    case following
}

/// What a look at a change found.
package enum Look: Hashable, Sendable {
    /// The same once more.
    case repeated
    /// Something new beside what plays: the pointer, a text that is typed.
    case beside
    /// Something new where it plays, or where nothing is known to play.
    case picture
}
