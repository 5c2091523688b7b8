import Media
import NIOConcurrencyHelpers
import PeerCore
import PeerDriver
import Synchronization

/// What the viewers' paths let through, and what that makes of the encoder's target: from the event loop straight to the
/// media thread. Thread-safe.
final class ViewerPaths: Sendable {
    private struct State {
        var paths: [PeerID: PathState] = [:]
        var told: Int?
    }

    private let state = NIOLockedValueBox(State())
    private let congested = Atomic<Bool>(false)

    /// Every viewer's pictures wait to leave: another one would only wait behind them.
    var isCongested: Bool { congested.load(ordering: .relaxed) }

    /// - Returns: what the encoder may make from now on, where that has changed.
    func update(_ peer: PeerID, _ path: PathState?) -> Int? {
        state.withLockedValue { state in
            state.paths[peer] = path
            let isCongested = !state.paths.isEmpty && state.paths.values.allSatisfy(\.isCongested)
            congested.store(isCongested, ordering: .relaxed)
            let rate = state.paths.values.map(\.bitsPerSecond).min() ?? .max
            guard rate != state.told else { return nil }
            state.told = rate
            return rate
        }
    }
}
