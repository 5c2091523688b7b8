/// What happens to a viewer, in order.
@nonexhaustive public enum ViewEvent: Hashable, Sendable {
    /// There is nothing to see yet; the text says why.
    case waiting(String)
    /// A try begins: sockets are opened, and the server is asked. `waiting` or `disconnected` may follow, and the next.
    case connecting
    /// Media may flow.
    case connected
    /// The first picture of the session arrived, this long after the offer was sent.
    case firstPicture(after: Duration)
    /// The sharer left or was lost; the session tries again by itself.
    case disconnected(String)
    /// The way here takes too little for moving pictures: the sharer sends one now and then, until it is told that the
    /// path has recovered. Known from servers that say so, as ours does.
    case pathNarrow
    /// It takes enough again, or the session has left that connection.
    case pathRecovered
    /// Something a person should know that does not end the session.
    case notice(String)
    /// Ended, with the error that ended it if it was not asked to; where the patience did, `ShareError.unavailable`, or `network`
    /// where there was no way to the sharer.
    case ended(ShareError?)
}
