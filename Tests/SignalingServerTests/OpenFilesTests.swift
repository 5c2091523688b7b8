import Glibc
import Logging
import SignalingServer
import TestSupport
import Testing

@Suite("Where the process may open no more files")
struct OpenFilesTests {
    /// In a process of its own, as nothing else can be done there.
    @Test("a server says so, and what to do about it, and nothing ends")
    func run() async {
        await #expect(processExitsWith: .success) {
            // But one, for libdispatch: it looks at its own threads now and then, and ends the process where it can't.
            Shortage.ofFiles(butFor: 1)
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
