import CLinux
import Glibc

/// What a process needs before anything else runs.
enum ProcessSetup {
    /// How this program was called, fit for a shell: its name, or the path where it isn't installed.
    static var program: String {
        guard let path = CommandLine.arguments.first, !path.isEmpty else { return "screenshare" }
        if path.allSatisfy({ $0.isLetter || $0.isNumber || "/._-+".contains($0) }) { return path }
        return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    static func prepare() {
        // A closed pipe is an error of write(2), not the death of the process.
        signal(SIGPIPE, SIG_IGN)
        raiseFileLimit()
        // One heap instead of one per thread: keeps some ten megabytes from staying resident.
        linux_keep_heap_small()
    }

    /// Each viewer over TCP and each page needs a descriptor; the usual 1024 are fewer than may come.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 16_384))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Everything runs: what only the start has used need not stay resident.
    static func hasStarted() { linux_forget_startup_code() }
}
