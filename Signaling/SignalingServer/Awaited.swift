import SignalingProtocol

/// A result that any number of tasks wait for; the first one counts.
actor Awaited<Value: Sendable> {
    private var result: Result<Value, any Error>?
    private var waiters: [OneShot<Result<Value, any Error>>] = []

    var value: Value {
        get async throws {
            if let result { return try result.get() }
            let waiter = OneShot<Result<Value, any Error>>()
            waiters.append(waiter)
            guard let result = await waiter.value() else { throw CancellationError() }
            return try result.get()
        }
    }

    func resolve(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        for waiter in waiters { waiter.resolve(result) }
        waiters = []
    }
}

/// A value that one task waits for and another brings, once.
struct OneShot<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// The first value counts.
    func resolve(_ value: Value) {
        continuation.yield(value)
        continuation.finish()
    }

    /// The value; nil where the waiting task was cancelled.
    func value() async -> Value? {
        for await value in stream { return value }
        return nil
    }

    /// The value, or `late` after `limit`; nil where the waiting task was cancelled.
    func value(within limit: Duration, clock: ServerClock, otherwise late: Value) async -> Value? {
        let timer = Task {
            try await clock.sleep(limit)
            resolve(late)
        }
        defer { timer.cancel() }
        return await value()
    }
}
