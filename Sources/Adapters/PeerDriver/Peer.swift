import PeerCore
import Timebase

/// A peer's place in its hub; a class, because `PeerCore` cannot be copied into collections.
final class Peer {
    var core: PeerCore
    /// The encoder output it is sent; nil for a viewer.
    var lane: LaneKey?
    var wish: PictureWish
    /// When it wants to be woken.
    var due = Instant.zero

    init(core: consuming PeerCore, lane: LaneKey?, at now: Instant) {
        self.core = core
        self.lane = lane
        wish = PictureWish(at: now)
    }
}
