import Glibc
import Logging
import SignalingServer
import Testing

@Suite("Where the process may open no more files")
struct OpenFilesTests {
    /// In a process of its own, as nothing else can be done there.
    @Test("a server says so, and what to do about it, and nothing ends")
    func run() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            // But one, for libdispatch: it looks at its own threads now and then, and ends the process where it can't.
            let last = dup(1)
            while dup(1) >= 0 {}
            close(last)
            let server = SignalingServer(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            do {
                try await server.run()
                exit(1)
            } catch {
                exit("\(error)".contains("ulimit -n") ? 0 : 2)
            }
        }
    }
}
