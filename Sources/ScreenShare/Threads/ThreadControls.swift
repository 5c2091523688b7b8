import Synchronization
import SystemClock

/// What the session asks of one of its threads; taken between two of its turns.
protocol ThreadCommands: Sendable {
    /// Called once the commands so far are in force.
    var acknowledgements: [@Sendable () -> Void] { get set }

    /// What the thread does once is taken out, acknowledgements among it.
    mutating func removeRequests()

    /// There is no thread to do anything: takes out who waits for it, each to be called.
    mutating func takeWaiting() -> [@Sendable () -> Void]
}

/// The session's end of one of its threads. Thread-safe.
final class ThreadControls<Commands: ThreadCommands>: Sendable {
    let wakeup: Wakeup
    let thread = ThreadLife()
    private let state: Mutex<(commands: Commands, isNew: Bool)>

    init(_ initial: Commands, wakeup: Wakeup) {
        self.wakeup = wakeup
        state = Mutex((commands: initial, isNew: true))
    }

    /// The commands in force, whether the thread has taken them or not.
    var present: Commands { state.withLock { $0.commands } }

    func change(_ body: (inout Commands) -> Void) {
        state.withLock { state in
            body(&state.commands)
            state.isNew = true
        }
        wakeup.fire()
        if !thread.isRunning { acknowledge() }
    }

    /// Changes before anything else happens in the caller's actor, and returns when the thread works by it, or is gone.
    func changeAndWait(
        isolation: isolated (any Actor)? = #isolation, _ body: (inout Commands) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            change { commands in
                body(&commands)
                commands.acknowledgements.append { continuation.resume() }
            }
        }
    }

    /// Does its work on a thread of its own; false where the system has none left.
    func start(name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
        thread.begin()
        let isStarted = BlockingThread.startIfPossible(name: name) { [self] in
            work()
            end()
        }
        if !isStarted { end() }
        return isStarted
    }

    /// The thread has ended: nobody is left waiting for it.
    func end() {
        thread.end()
        acknowledge()
    }

    private func acknowledge() {
        let waiting = state.withLock { $0.commands.takeWaiting() }
        waiting.forEach { $0() }
    }

    // MARK: The thread's end

    /// The commands in force; requests are taken out.
    func take() -> Commands {
        state.withLock { state in
            state.isNew = false
            defer { state.commands.removeRequests() }
            return state.commands
        }
    }

    /// The same, nil where they have not changed since they were taken.
    func takeNew() -> Commands? {
        let isNew = state.withLock { $0.isNew }
        return isNew ? take() : nil
    }
}
