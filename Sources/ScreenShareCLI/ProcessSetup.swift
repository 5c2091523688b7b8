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
        // One heap instead of one per thread: keeps some ten megabytes from staying resident.
        linux_keep_heap_small()
    }

    /// Everything runs: what only the start has used need not stay resident.
    static func hasStarted() { linux_forget_startup_code() }
}
