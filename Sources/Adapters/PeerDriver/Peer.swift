import PeerCore
import Timebase

/// A peer's place in its hub; a class, because `PeerCore` cannot be copied into collections.
final class Peer {
    var core: PeerCore
    /// The encoder output it is sent; nil for a viewer.
    var lane: LaneKey?
    /// When it wants to be woken.
    var due = Instant.zero

    init(core: consuming PeerCore, lane: LaneKey?) {
        self.core = core
        self.lane = lane
    }
}
