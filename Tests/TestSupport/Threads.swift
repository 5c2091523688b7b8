import SystemClock

extension BlockingThread {
    /// Where the system has no thread left, the process ends.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let isStarted = startIfPossible(name: name, body)
        precondition(isStarted, "the system has no thread left")
    }
}

extension Wakeup {
    /// Where no file descriptor is left, the process ends.
    package static func made() -> Wakeup {
        guard let wakeup = Wakeup() else { preconditionFailure("no file descriptor left for an eventfd") }
        return wakeup
    }
}
