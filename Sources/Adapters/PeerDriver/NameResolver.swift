import Datagrams
import Synchronization
import SystemClock

/// Looks names up, off the event loops, on threads that end when nothing waits for them: getaddrinfo(3) blocks for as long as
/// the name servers are silent. All who ask for a name meanwhile are answered by one look-up.
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
    func lookUp(_ name: Name, _ answer: @escaping Answer) {
        let needsThread = state.withLock { $0.add(name, answer) }
        if needsThread, !BlockingThread.startIfPossible(name: "name-lookup", { self.work() }) { loseThread() }
    }

    private func work() {
        while let name = state.withLock({ $0.next() }) {
            let found = find(name)
            for answer in state.withLock({ $0.end(name) }) { answer(found) }
        }
    }

    private func loseThread() {
        for answer in state.withLock({ $0.loseThread() }) { answer([]) }
    }

    private struct State {
        /// Who is to hear of each name that is looked up, or waits for it.
        private var askers: [Name: [Answer]] = [:]
        /// Names that no thread has taken yet, the oldest first.
        private var waiting: [Name] = []
        private var threads = 0

        /// - Returns: whether a thread more is to be started.
        mutating func add(_ name: Name, _ answer: @escaping Answer) -> Bool {
            let isNew = askers[name] == nil
            askers[name, default: []].append(answer)
            guard isNew else { return false }
            waiting.append(name)
            guard threads < Limits.lookUps else { return false }
            threads += 1
            return true
        }

        /// Nil where the thread that asks is to end.
        mutating func next() -> Name? {
            if waiting.isEmpty {
                threads -= 1
                return nil
            }
            return waiting.removeFirst()
        }

        /// A look-up has ended: who asks from now on begins another.
        /// - Returns: who is to hear of it.
        mutating func end(_ name: Name) -> [Answer] { askers.removeValue(forKey: name) ?? [] }

        /// One could not be started.
        /// - Returns: who is to hear so, as no other is there that would take what waits.
        mutating func loseThread() -> [Answer] {
            threads -= 1
            guard threads == 0 else { return [] }
            let names = waiting
            waiting = []
            return names.flatMap { end($0) }
        }
    }
}
