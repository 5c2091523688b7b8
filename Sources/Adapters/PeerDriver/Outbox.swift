import NIOCore
import PeerCore
import RTP
import Synchronization

/// The bounded hand-off from the encoder's thread to the event loop.
///
/// The encoder asks `isFull` before it encodes: raw pictures are dropped there, encoded ones never (later ones refer to
/// them).
package final class Outbox: Sendable {
    /// Units that the loop has not taken yet: a quarter of a second at 30 fps.
    private static let capacity = 8
    private let waiting = Atomic<Int>(0)
    private let eventLoop: any EventLoop

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Packets of sound likewise: a fifth of a second.
    private static let audioCapacity = 10
    private let waitingAudio = Atomic<Int>(0)

    package var isFull: Bool { waiting.load(ordering: .relaxed) >= Self.capacity }

    /// Called by the thread of sound; never blocks. What a loop that stands still can't take is dropped: each packet can
    /// be decoded without the one before.
    package func deliver(_ unit: AudioUnit, to hub: PeerHub) {
        guard waitingAudio.load(ordering: .relaxed) < Self.audioCapacity else { return }
        waitingAudio.add(1, ordering: .relaxed)
        eventLoop.execute {
            self.waitingAudio.subtract(1, ordering: .relaxed)
            hub.assumeIsolated { $0.deliver(unit) }
        }
    }

    /// Called by the encoder's thread; never blocks.
    package func deliver(_ unit: PacketizedUnit, lane: LaneKey, to hub: PeerHub) {
        waiting.add(1, ordering: .relaxed)
        eventLoop.execute {
            self.waiting.subtract(1, ordering: .relaxed)
            hub.assumeIsolated { $0.deliver(unit, lane: lane) }
        }
    }
}
