import Glibc
import ScreenShare
import TestSupport
import Testing

/// Each in a process of its own, as nothing else can be done there.
@Suite("Where the process may open no more files")
struct OpenFilesTests {
    static func openAll() {
        // But one, for libdispatch: it looks at its own threads now and then, and ends the process where it can't.
        Shortage.ofFiles(butFor: 1)
    }

    @Test("a share says so, and what to do about it, and nothing ends")
    func share() async {
        await #expect(processExitsWith: .success) {
            OpenFilesTests.openAll()
            let session = ShareSession(configuration: ShareConfiguration(source: .testPattern(width: 64, height: 64)))
            do throws(ShareError) {
                try await session.start()
                exit(1)
            } catch {
                exit(error.description.contains("ulimit -n") ? 0 : 2)
            }
        }
    }

    @Test("who publishes a share is told so, and what to do about it, and nothing ends")
    func publish() async {
        await #expect(processExitsWith: .success) {
            OpenFilesTests.openAll()
            let session = ShareSession(configuration: ShareConfiguration(source: .testPattern(width: 64, height: 64)))
            do throws(ShareError) {
                _ = try await session.publish(RoomPublication(server: "http://127.0.0.1:9", room: "demo"))
                exit(1)
            } catch {
                exit(error.description.contains("ulimit -n") ? 0 : 2)
            }
        }
    }

    @Test("no server answers there, and nothing ends")
    func probe() async {
        await #expect(processExitsWith: .success) {
            OpenFilesTests.openAll()
            exit(await SignalingProbe.answers(at: "http://127.0.0.1:9") ? 1 : 0)
        }
    }

    @Test("a viewer says so, and what to do about it, and nothing ends")
    func view() async {
        await #expect(processExitsWith: .success) {
            OpenFilesTests.openAll()
            let session = ViewSession(configuration: ViewConfiguration(server: "http://127.0.0.1:9", room: "demo"))
            await session.start()
            for await case .ended(let error?) in session.events {
                exit(error.description.contains("ulimit -n") ? 0 : 2)
            }
            exit(1)
        }
    }

    @Test("the doctor says so, and what to do about it, and nothing ends")
    func doctor() async {
        await #expect(processExitsWith: .success) {
            OpenFilesTests.openAll()
            let diagnosis = await Doctor(DoctorConfiguration()).examine()
            let isTold = diagnosis.findings.contains { $0.verdict == .failure && $0.found.contains("ulimit -n") }
            exit(isTold ? 0 : 1)
        }
    }
}
