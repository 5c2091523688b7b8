import Dispatch
import Glibc
import Synchronization

/// Turns signals into calls; the default action is switched off.
final class Signals: Sendable {
    private let sources: Mutex<[any DispatchSourceSignal]>

    init(_ handlers: [Int32: @Sendable () -> Void]) {
        // Sources are made here and only cancelled later, under the mutex.
        nonisolated(unsafe) var made: [any DispatchSourceSignal] = []
        for (number, handler) in handlers where !(Self.heeded.contains(number) && Self.isIgnored(number)) {
            signal(number, SIG_IGN)
            nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if Self.endings.contains(number), !Self.isFirstOfBurst() { return }
                handler()
                // A terminal that closes hangs up twice, by its shell and by the kernel: nobody is impatient.
                if number == SIGHUP { source.cancel() }
            }
            source.resume()
            made.append(source)
        }
        sources = Mutex(made)
    }

    /// Where they are ignored from the beginning, that stays.
    private static let heeded: Set = [SIGHUP, SIGTSTP]
    private static let endings: Set = [SIGINT, SIGTERM, SIGHUP]
    private static let lastSignalAt = Mutex<ContinuousClock.Instant?>(nil)

    /// timeout(1) signals the process and then its group, and a session that is stopped hangs up as well: what comes at once
    /// is one wish.
    private static func isFirstOfBurst() -> Bool {
        let now = ContinuousClock.now
        return lastSignalAt.withLock { last in
            if let last, now - last < .milliseconds(200) { return false }
            last = now
            return true
        }
    }

    /// As nohup(1) has it: who hangs up then must end nothing.
    private static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        sigaction(number, nil, &present)
        // SIG_IGN is 1, which no function's address is.
        return unsafeBitCast(present.__sigaction_handler, to: Int.self) == 1
    }

    /// As SIGTSTP does where nobody handles it: not where no shell could have the process go on (an orphaned group, POSIX).
    static func stop() {
        var (standard, present) = (sigaction(), sigaction())
        sigaction(SIGTSTP, &standard, &present)
        // Dispatch's threads block all signals.
        var (signals, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, &blocked)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        sigaction(SIGTSTP, &present, nil)
    }

    func cancel() {
        sources.withLock { sources in
            sources.forEach { $0.cancel() }
            sources = []
        }
    }
}
