import CLinux
import Glibc

/// What a process needs before anything else runs.
enum ProcessSetup {
    static func prepare() {
        // A closed pipe is an error of write(2), not the death of the process.
        signal(SIGPIPE, SIG_IGN)
        // One heap instead of one per thread: keeps some ten megabytes from staying resident.
        linux_keep_heap_small()
    }

    /// Everything runs: what only the start has used need not stay resident.
    static func hasStarted() { linux_forget_startup_code() }
}
