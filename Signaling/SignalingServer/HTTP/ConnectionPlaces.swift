import NIOCore
import Synchronization

/// A server's connections. Where they become many, the oldest of those that have brought no request makes place for who
/// comes: a whole request takes a round trip, and one who never brings it keeps nobody out. Whose request is being answered
/// stays, and so does a stream. By address none is told from others: many viewers may be behind one, as of a proxy.
final class ConnectionPlaces: Sendable {
    private struct State {
        var waiting: [ObjectIdentifier: (since: UInt64, channel: any Channel)] = [:]
        var answered: Set<ObjectIdentifier> = []
        var serial: UInt64 = 0

        mutating func wait(_ channel: any Channel) {
            serial += 1
            answered.remove(ObjectIdentifier(channel))
            waiting[ObjectIdentifier(channel)] = (serial, channel)
        }

        /// The one that waits longest; it counts no more.
        mutating func takeOldest() -> (any Channel)? {
            let oldest = waiting.min { $0.value.since < $1.value.since }
            return oldest.flatMap { waiting.removeValue(forKey: $0.key)?.channel }
        }
    }

    /// With so many a newcomer costs the oldest its place.
    private let many: Int
    private let state = Mutex(State())

    /// - Parameter limit: to which connections are accepted.
    init(limit: Int) {
        // None are accepted below one.
        let limit = max(1, limit)
        many = limit - max(1, limit / ServerLimits.connectionsForOneNewcomer)
    }

    func come(_ channel: any Channel) {
        let former = state.withLock { state in
            let isMany = state.waiting.count + state.answered.count >= many
            let former = isMany ? state.takeOldest() : nil
            state.wait(channel)
            return former
        }
        former?.close(promise: nil)
    }

    /// It has brought a whole request.
    func asked(_ channel: any Channel) {
        state.withLock { state in
            // One whose place was taken is none any more.
            guard state.waiting.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
            state.answered.insert(ObjectIdentifier(channel))
        }
    }

    /// All that it asked for is answered.
    func waits(_ channel: any Channel) {
        state.withLock { state in
            if state.answered.contains(ObjectIdentifier(channel)) { state.wait(channel) }
        }
    }

    func leave(_ channel: any Channel) {
        state.withLock { state in
            state.waiting[ObjectIdentifier(channel)] = nil
            state.answered.remove(ObjectIdentifier(channel))
        }
    }
}
