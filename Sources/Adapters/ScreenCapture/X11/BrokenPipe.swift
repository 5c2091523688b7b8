import Glibc

/// Keeps a server that vanishes from ending this process.
///
/// libxcb writes by writev(2), which raises SIGPIPE where the other side is gone. What to do with that signal is the
/// program's choice and stays so: it is held back on this thread for as long as libxcb may write.
enum BrokenPipe {
    /// Does the work; a SIGPIPE that it raised is swallowed.
    static func held<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        let wasPending = isPending
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer {
            if !wasPending, isPending {
                var now = timespec()
                sigtimedwait(&signals, nil, &now)
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return try work()
    }

    private static var isPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGPIPE) == 1
    }
}
