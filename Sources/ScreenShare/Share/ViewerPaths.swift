import Media
import PeerCore
import PeerDriver
import Synchronization
import Timebase

/// What the viewers' paths let through, and what that makes of the encoders' targets: from the event loop straight to the
/// thread of pictures. Thread-safe.
final class ViewerPaths: Sendable {
    /// What follows from a path's news.
    struct Change: Sendable {
        /// What each rung may make, in bits per second.
        var rates: [Int: Int]
        /// Viewers that are to be sent another rung.
        var moved: [PeerID: Int]
        /// A viewer that can't be sent moving pictures any more, or can again.
        var starved: (peer: PeerID, isStarved: Bool)?
        /// A viewer whose sound may take less of its path from now on, or more, in bits per second (`SoundRoom`).
        var sound: (peer: PeerID, room: Int)?
    }

    /// Pictures that wait to leave: none to speak of, what yields to anything new, others.
    private enum Backlog {
        case none, yielding, firm

        init(_ path: PathState) {
            self = !path.isCongested ? .none : path.yields ? .yielding : .firm
        }

        func isInTheWay(ofNews: Bool) -> Bool { self == .firm || self == .yielding && !ofNews }
    }

    private struct State {
        var policy = RungPolicy<PeerID>()
        var backlogs: [PeerID: Backlog] = [:]
        var told: [Int: Int] = [:]
        var starvation: [PeerID: Starvation] = [:]
        var sound: [PeerID: SoundRoom] = [:]

        /// - Returns: what its sound may take from now on, where that has changed.
        mutating func soundRoom(_ peer: PeerID, _ path: PathState?, at now: Instant) -> Int? {
            guard let path else {
                sound[peer] = nil
                return nil
            }
            return sound[peer, default: SoundRoom()].update(pathRate: path.pathRate, isLimited: path.isLimited, at: now)
        }
    }

    private let state = Mutex(State())

    /// Pictures of all viewers of a rung wait to leave: another one would only wait behind them.
    ///
    /// - Parameter news: it shows something new, and not the same only sharper.
    func isCongested(rung: Int, news: Bool) -> Bool {
        state.withLock { state in
            let viewers = state.backlogs.filter { state.policy.rung(of: $0.key) == rung }
            return !viewers.isEmpty && viewers.values.allSatisfy { $0.isInTheWay(ofNews: news) }
        }
    }

    /// Those of all viewers.
    func isCongested(news: Bool) -> Bool {
        state.withLock { state in
            !state.backlogs.isEmpty && state.backlogs.values.allSatisfy { $0.isInTheWay(ofNews: news) }
        }
    }

    /// - Parameter path: nil where the viewer has left.
    /// - Returns: nil where nothing follows.
    func update(_ peer: PeerID, _ path: PathState?, at now: Instant) -> Change? {
        state.withLock { state in
            let before = state.backlogs[peer] ?? .none
            state.backlogs[peer] = path.map { Backlog($0) }
            // The thread of pictures waits for that.
            let isFree = before != .none && state.backlogs[peer] ?? .none != before
            let moved = state.policy.update(
                peer, bitsPerSecond: path?.bitsPerSecond, isProven: path?.isProven ?? true, at: now)
            let rates = state.policy.rates
            let isStarved = path.flatMap { state.starvation[peer, default: Starvation()].update($0.isStarved, at: now) }
            if path == nil { state.starvation[peer] = nil }
            let room = state.soundRoom(peer, path, at: now)
            guard rates != state.told || !moved.isEmpty || isStarved != nil || room != nil || isFree else { return nil }
            state.told = rates
            return Change(
                rates: rates, moved: Dictionary(uniqueKeysWithValues: moved.map { ($0, state.policy.rung(of: $0)) }),
                starved: isStarved.map { (peer, $0) }, sound: room.map { (peer, $0) })
        }
    }
}
