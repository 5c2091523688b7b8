import Media
import NIOConcurrencyHelpers
import PeerCore
import PeerDriver
import Timebase

/// What the viewers' paths let through, and what that makes of the encoders' targets: from the event loop straight to the
/// media thread. Thread-safe.
final class ViewerPaths: Sendable {
    /// What follows from a path's news.
    struct Change: Sendable {
        /// What each rung may make, in bits per second.
        var rates: [Int: Int]
        /// Viewers that are to be sent another rung.
        var moved: [PeerID: Int]
        /// A viewer that can't be sent moving pictures any more, or can again.
        var starved: (peer: PeerID, isStarved: Bool)?
        /// A viewer whose path takes hardly more than sound, or does again.
        var narrow: (peer: PeerID, isNarrow: Bool)?
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
        /// Who gets little sound, until pictures have so much that there is room for all of it.
        var narrow: Set<PeerID> = []
        var starvedSince: [PeerID: Instant] = [:]
        /// Since when its path has been taking all that there may be.
        var unlimitedSince: [PeerID: Instant] = [:]
        var roomForSound = 0

        /// - Returns: what has changed.
        mutating func narrow(_ peer: PeerID, _ path: PathState?, at now: Instant) -> Bool? {
            starvedSince[peer] = path?.isStarved == true ? starvedSince[peer] ?? now : nil
            if let since = starvedSince[peer] {
                return now - since >= ShareLimits.timeOfNarrowness && narrow.insert(peer).inserted ? true : nil
            }
            unlimitedSince[peer] = path?.isLimited == false ? unlimitedSince[peer] ?? now : nil
            let isUnlimited = unlimitedSince[peer].map { now - $0 > ShareLimits.timeOfUnlimited } ?? false
            guard isUnlimited || path.map({ $0.bitsPerSecond > roomForSound }) ?? true else { return nil }
            return narrow.remove(peer) == nil ? nil : false
        }
    }

    private let state = NIOLockedValueBox(State())

    /// Pictures of all viewers of a rung wait to leave: another one would only wait behind them.
    ///
    /// - Parameter news: it shows something new, and not the same only sharper.
    func isCongested(rung: Int, news: Bool) -> Bool {
        state.withLockedValue { state in
            let viewers = state.backlogs.filter { state.policy.rung(of: $0.key) == rung }
            return !viewers.isEmpty && viewers.values.allSatisfy { $0.isInTheWay(ofNews: news) }
        }
    }

    /// Those of all viewers.
    func isCongested(news: Bool) -> Bool {
        state.withLockedValue { state in
            !state.backlogs.isEmpty && state.backlogs.values.allSatisfy { $0.isInTheWay(ofNews: news) }
        }
    }

    /// What the share's sound takes with its headers, in bits per second.
    func soundTakes(_ bitsPerSecond: Int) {
        state.withLockedValue { $0.roomForSound = bitsPerSecond * 3 / 2 + ShareLimits.leastBesideSound }
    }

    /// - Parameter path: nil where the viewer has left.
    /// - Returns: nil where nothing follows.
    func update(_ peer: PeerID, _ path: PathState?, at now: Instant) -> Change? {
        state.withLockedValue { state in
            let before = state.backlogs[peer] ?? .none
            state.backlogs[peer] = path.map { Backlog($0) }
            // The media thread waits for that.
            let isFree = before != .none && state.backlogs[peer] ?? .none != before
            let moved = state.policy.update(peer, bitsPerSecond: path?.bitsPerSecond, at: now)
            let rates = state.policy.rates
            let isStarved = path.flatMap { state.starvation[peer, default: Starvation()].update($0.isStarved, at: now) }
            if path == nil { state.starvation[peer] = nil }
            let isNarrow = state.narrow(peer, path, at: now)
            guard rates != state.told || !moved.isEmpty || isStarved != nil || isNarrow != nil || isFree else { return nil }
            state.told = rates
            return Change(
                rates: rates, moved: Dictionary(uniqueKeysWithValues: moved.map { ($0, state.policy.rung(of: $0)) }),
                starved: isStarved.map { (peer, $0) }, narrow: isNarrow.map { (peer, $0) })
        }
    }
}
