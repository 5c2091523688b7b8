/// What a look at a change found.
package enum Look: Hashable, Sendable {
    /// The same once more.
    case repeated
    /// Something new beside what plays: the pointer, a text that is typed.
    case beside
    /// Something new where it plays, or where nothing is known to play.
    case picture
}
