import CLinux
import Glibc
import Synchronization

/// What a process needs before anything else runs.
enum ProcessSetup {
    /// How this program was called, fit for a shell: its name, or the path where it isn't installed.
    static var program: String {
        guard let path = CommandLine.arguments.first, !path.isEmpty else { return "screenshare" }
        return Shell.word(path)
    }

    private static let hasNoOutput = Mutex(false)

    static func prepare() {
        holdStandardDescriptors()
        // A closed pipe is an error of write(2), not the death of the process.
        signal(SIGPIPE, SIG_IGN)
        raiseFileLimit()
        // One heap instead of one per thread: keeps some ten megabytes from staying resident.
        linux_keep_heap_small()
    }

    /// What is closed of input, output and error leads nowhere from now on: else the next file or socket would get its
    /// number, and all that is written there.
    private static func holdStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // It gets the lowest number that is free: this one.
            _ = open("/dev/null", O_RDWR)
            if descriptor == STDOUT_FILENO { hasNoOutput.withLock { $0 = true } }
        }
    }

    /// For what is of use to nobody where it goes nowhere.
    ///
    /// - Throws: where it was closed when this process began.
    static func standardOutput() throws -> Int32 {
        if hasNoOutput.withLock({ $0 }) { throw Failure(.outputError, "standard output is closed") }
        return STDOUT_FILENO
    }

    /// Each viewer over TCP and each page needs a descriptor; the usual 1024 are fewer than may come.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 16_384))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Code that has only run until now need not stay resident; what is called again comes back.
    static func forgetUnusedCode() { linux_forget_unused_code() }
}
