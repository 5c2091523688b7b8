import Datagrams
import Synchronization
import SystemClock
import Timebase

/// Looks names up, off the event loops, on threads that end when nothing waits for them: getaddrinfo(3) blocks for as long as
/// the name servers are silent. All who ask for a name before a look-up of it has taken long are answered by that one.
final class NameResolver: Sendable {
    struct Name: Hashable, Sendable {
        var host: String
        var port: UInt16
    }

    typealias Answer = @Sendable ([TransportAddress]) -> Void

    private let find: @Sendable (Name) -> [TransportAddress]
    private let state = Mutex(State())

    /// - Parameter find: may block.
    init(_ find: @escaping @Sendable (Name) -> [TransportAddress]) {
        self.find = find
    }

    func lookUp(_ name: Name) async -> [TransportAddress] {
        await withCheckedContinuation { continuation in
            lookUp(name) { continuation.resume(returning: $0) }
        }
    }

    /// - Parameter answer: called once, on another thread; at once and with nothing where there is none to be had.
    func lookUp(_ name: Name, at now: Instant = SystemClock.now(), _ answer: @escaping Answer) {
        let needsThread = state.withLock { $0.add(name, answer, at: now) }
        if needsThread, !BlockingThread.startIfPossible(name: "name-lookup", { self.work() }) { loseThread() }
    }

    private func work() {
        while let lookUp = state.withLock({ $0.next(at: SystemClock.now()) }) {
            let found = find(lookUp.name)
            for answer in state.withLock({ $0.end(lookUp) }) { answer(found) }
        }
    }

    private func loseThread() {
        for answer in state.withLock({ $0.loseThread() }) { answer([]) }
    }

    private struct State {
        /// What is looked up, or waits for a thread: the oldest first.
        private var lookUps: [LookUp] = []
        private var threads = 0

        struct LookUp {
            let name: Name
            /// Who is to hear of it.
            var answers: [Answer]
            /// Nil while it waits.
            var begunAt: Instant?

            /// One that has taken long may be asking the name servers of a network that was left: they are not chosen anew.
            func isShared(at now: Instant) -> Bool { begunAt.map { now - $0 < Limits.lookUpShared } ?? true }
        }

        /// - Returns: whether a thread more is to be started.
        mutating func add(_ name: Name, _ answer: @escaping Answer, at now: Instant) -> Bool {
            if let index = lookUps.lastIndex(where: { $0.name == name && $0.isShared(at: now) }) {
                lookUps[index].answers.append(answer)
                return false
            }
            lookUps.append(LookUp(name: name, answers: [answer]))
            guard threads < Limits.lookUps else { return false }
            threads += 1
            return true
        }

        /// Nil where the thread that asks is to end.
        mutating func next(at now: Instant) -> LookUp? {
            guard let index = lookUps.firstIndex(where: { $0.begunAt == nil }) else {
                threads -= 1
                return nil
            }
            lookUps[index].begunAt = now
            return lookUps[index]
        }

        /// It has ended: who asks from now on begins another.
        /// - Returns: who is to hear of it.
        mutating func end(_ ended: LookUp) -> [Answer] {
            let index = lookUps.firstIndex { $0.name == ended.name && $0.begunAt == ended.begunAt }
            return index.map { lookUps.remove(at: $0).answers } ?? []
        }

        /// One could not be started.
        /// - Returns: who is to hear so, as no other is there that would take what waits.
        mutating func loseThread() -> [Answer] {
            threads -= 1
            guard threads == 0 else { return [] }
            defer { lookUps = [] }
            return lookUps.flatMap(\.answers)
        }
    }
}
