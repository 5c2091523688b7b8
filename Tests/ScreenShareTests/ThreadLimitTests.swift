import Foundation
import Glibc
import TestSupport
import Testing
import VideoCodec
@testable import PeerDriver
@testable import ScreenShare

/// Each in a process of its own, as nothing else can be done there; nothing is waited for, as that may take a thread.
@Suite("Where the process may start no more threads", .timeLimit(.minutes(1)))
struct ThreadLimitTests {
    @Test("what begins with a look at the limits says so, and what to do about it, and nothing ends")
    func limits() async {
        await #expect(processExitsWith: .success) {
            Shortage.ofThreads()
            do throws(ShareError) {
                try ProcessLimits.check()
                exit(1)
            } catch {
                exit(error.description.contains("ulimit -u") ? 0 : 2)
            }
        }
    }

    @Test("a session whose thread could not be started is told, waits for nothing, and nothing ends")
    func controls() async {
        await #expect(processExitsWith: .success) {
            Shortage.ofThreads()
            let controls = VideoControls(
                VideoCommands(size: .native, fixedRate: nil, mode: .auto, preset: .ultrafast, bitsPerSecond: 2_000_000))
            let isStarted = controls.start(name: "pictures") {}
            controls.change { commands in
                commands.acknowledgements.append { exit(isStarted ? 1 : 0) }
            }
            exit(2)
        }
    }

    @Test("a server's name stands for nothing there, and nothing ends")
    func names() async {
        await #expect(processExitsWith: .success) {
            Shortage.ofThreads()
            NameResolver.system.lookUp(NameResolver.Name(host: "localhost", port: 3478)) { found in
                exit(found.isEmpty ? 0 : 1)
            }
            exit(2)
        }
    }

    /// Their names.
    static func threads() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    }

    @Test("to look at a port the doctor takes one loop, which it looked for room for, and leaves none")
    func port() async {
        await #expect(processExitsWith: .success) {
            let check = await SignalingCheck.listening("127.0.0.1", 0, mayUseAnother: false, room: nil, token: nil)
            guard check.findings.first?.verdict == .ok, !ThreadLimitTests.threads().isEmpty else { exit(2) }
            exit(ThreadLimitTests.threads().contains { $0.hasPrefix("NIO") } ? 1 : 0)
        }
    }
}
