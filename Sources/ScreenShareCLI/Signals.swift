import Dispatch
import Glibc
import Synchronization

/// Turns signals into calls; the default action is switched off.
final class Signals: Sendable {
    private let sources: Mutex<[any DispatchSourceSignal]>

    init(_ handlers: [Int32: @Sendable () -> Void]) {
        // Sources are made here and only cancelled later, under the mutex.
        nonisolated(unsafe) var made: [any DispatchSourceSignal] = []
        for (number, handler) in handlers {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handler)
            source.resume()
            made.append(source)
        }
        sources = Mutex(made)
    }

    func cancel() {
        sources.withLock { sources in
            sources.forEach { $0.cancel() }
            sources = []
        }
    }
}
