import Glibc
import SystemClock
import TestSupport
import Testing

@testable import ScreenShareCLI

@Suite("What is written for a person", .timeLimit(.minutes(1)))
struct ConsoleOutputTests {
    /// A terminal, and the end at which it is read.
    private func makeTerminal() throws -> (reader: Int32, terminal: Int32) {
        let reader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(reader >= 0)
        var locked: Int32 = 0
        // ioctl_tty(2): TIOCSPTLCK and TIOCGPTPEER, which Swift does not see.
        try #require(ioctl(reader, 0x4004_5431, &locked) == 0)
        let terminal = ioctl(reader, 0x5441, O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        return (reader, terminal)
    }

    /// The status line is behind the end of another: that is where a terminal with little room stops.
    private static let text = String(repeating: "a", count: 100) + "\n" + String(repeating: "b", count: 60)

    @Test("A terminal that nobody reads holds nobody up, and is as it was for others")
    func unread() async throws {
        let (reader, terminal) = try makeTerminal()
        let flags = fcntl(terminal, F_GETFL)
        let (end, ending) = AsyncStream.makeStream(of: Bool.self)
        BlockingThread.start(name: "writer") {
            var output = ConsoleOutput(terminal)
            for _ in 0..<2000 { output.write(Self.text) }
            ending.yield(true)
        }
        let late = Task {
            try await Task.sleep(for: .seconds(10))
            ending.yield(false)
        }
        let hasEnded = await end.first { _ in true }
        late.cancel()
        try #require(hasEnded == true, "it waits for a reader")
        #expect(fcntl(terminal, F_GETFL) == flags)
        var begun = [UInt8](repeating: 0, count: 100)
        #expect(read(reader, &begun, begun.count) == 100 && begun.allSatisfy { $0 == UInt8(ascii: "a") })
        close(reader)
        close(terminal)
    }

    @Test("All of it comes to a terminal that is read")
    func isRead() throws {
        let (reader, terminal) = try makeTerminal()
        BlockingThread.start(name: "writer") {
            var output = ConsoleOutput(terminal)
            for _ in 0..<60 { output.write(Self.text + "\n") }
            close(terminal)
        }
        var (lines, bytes) = (0, [UInt8](repeating: 0, count: 4096))
        while lines < 120 {
            let count = read(reader, &bytes, bytes.count)
            guard count > 0 else { break }
            lines += bytes.prefix(count).count { $0 == UInt8(ascii: "\n") }
        }
        #expect(lines == 120)
        close(reader)
    }
}
