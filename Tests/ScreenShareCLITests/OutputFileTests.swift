import Glibc
import Testing

@testable import ScreenShareCLI

@Suite("What a viewer writes to")
struct OutputFileTests {
    @Test("What can't be put in place of what was written is an error")
    func rewrite() async throws {
        let output = OutputFile(descriptor: open("/dev/full", O_WRONLY | O_CLOEXEC))
        await #expect(throws: OutputFile.WriteError.self) { try await output.rewrite([1, 2, 3], at: 0) }
    }

    @Test("A reader who has gone is a clean end, and so is what was broken off; nothing else is")
    func endings() {
        struct Unforeseen: Error {}
        #expect(Failure(OutputFile.WriteError.closedPipe, writing: "the video")?.code == nil)
        #expect(Failure(CancellationError(), writing: "the video")?.code == nil)
        let full = Failure(OutputFile.WriteError.failed("no space"), writing: "the video")
        #expect(full?.code == .outputError && full?.message == "can't write the video: no space")
        #expect(Failure(Failure(.unavailable, "no library"), writing: "the video")?.code == .unavailable)
        #expect(Failure(Unforeseen(), writing: "the video")?.code == .software)
    }
}
