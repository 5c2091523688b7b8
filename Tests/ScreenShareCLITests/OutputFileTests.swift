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

    @Test("A reader at the other end of a connection has gone also where it is reset")
    func reset() async throws {
        let (ours, theirs) = try Self.connection()
        defer { close(ours) }
        // Closed at once, and what is on its way is thrown away.
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(theirs, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close(theirs)
        let failure = await #expect(throws: OutputFile.WriteError.self) {
            try await OutputFile(descriptor: ours).write([1, 2, 3])
        }
        guard case .closedPipe = failure else { return _ = Issue.record("\(failure as Any)") }
    }

    /// Two ends of a TCP connection on loopback.
    private static func connection() throws -> (Int32, Int32) {
        let type = Int32(SOCK_STREAM.rawValue)
        let (listener, ours) = (socket(AF_INET, type, 0), socket(AF_INET, type, 0))
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutableBytes(of: &address) { bytes in
            let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(listener, place, length) == 0 && listen(listener, 1) == 0
                && getsockname(listener, place, &length) == 0 && connect(ours, place, length) == 0
        }
        try #require(isConnected)
        return (ours, accept(listener, nil, nil))
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
