import Datagrams
import Synchronization
import SystemClock

/// Looks names up, off the event loops, on threads that end when nothing waits for them: getaddrinfo(3) blocks for as long as
/// the name servers are silent.
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
        while let (name, answer) = state.withLock({ $0.next() }) { answer(find(name)) }
    }

    private func loseThread() {
        for answer in state.withLock({ $0.loseThread() }) { answer([]) }
    }

    private struct State {
        /// Those that no thread has taken yet, the oldest first.
        private var waiting: [(name: Name, answer: Answer)] = []
        private var threads = 0

        /// - Returns: whether a thread more is to be started.
        mutating func add(_ name: Name, _ answer: @escaping Answer) -> Bool {
            waiting.append((name, answer))
            guard threads < Limits.lookUps else { return false }
            threads += 1
            return true
        }

        /// Nil where the thread that asks is to end.
        mutating func next() -> (name: Name, answer: Answer)? {
            if waiting.isEmpty {
                threads -= 1
                return nil
            }
            return waiting.removeFirst()
        }

        /// One could not be started.
        /// - Returns: who is to hear so, as no other is there that would take what waits.
        mutating func loseThread() -> [Answer] {
            threads -= 1
            guard threads == 0 else { return [] }
            defer { waiting = [] }
            return waiting.map { $0.answer }
        }
    }
}
