import Synchronization

/// How much a stream's reader has taken. Thread-safe.
final class ReadCount: Sendable {
    private let taken = Mutex(0)

    var value: Int { taken.withLock { $0 } }

    fileprivate func increment() { taken.withLock { $0 += 1 } }
}

extension AsyncStream where Element: Sendable {
    /// The same elements, each of which counts once its reader takes it.
    func counted(by count: ReadCount) -> AsyncStream<Element> {
        AsyncStream<Element>(unfolding: {
            var iterator = self.makeAsyncIterator()
            guard let element = await iterator.next() else { return nil }
            count.increment()
            return element
        })
    }
}
