import Datagrams
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import PeerDriver

@Suite("UDP sockets", .timeLimit(.minutes(1)))
struct UDPSocketTests {
    /// Of this process.
    static var openFiles: Int { (0..<1024).count { fcntl($0, F_GETFD) >= 0 } }

    @Test("an address that can't be bound leaves no descriptor behind, however often it is tried")
    func refused() async {
        // What other tests open is not counted.
        await #expect(processExitsWith: .success) {
            let loop = NIOSingletons.posixEventLoopGroup.next()
            let taken = try await UDPSocket.bind(.loopback, port: 0, on: loop) { _, _, _, _ in }
            let before = UDPSocketTests.openFiles
            for _ in 0..<20 {
                let other = try? await UDPSocket.bind(.loopback, port: taken.address.port, on: loop) { _, _, _, _ in }
                if other != nil { exit(2) }
            }
            exit(UDPSocketTests.openFiles == before ? 0 : 1)
        }
    }
}
