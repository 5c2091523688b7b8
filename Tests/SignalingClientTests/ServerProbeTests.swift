import FoundationEssentials
import NIOConcurrencyHelpers
import SignalingProtocol
import SignalingServer
import Testing

@testable import SignalingClient

@Suite("Looking at a signaling server", .timeLimit(.minutes(1)))
struct ServerProbeTests {
    private static let room = RoomName("demo")

    private func live(
        _ configure: (inout SignalingConfiguration) -> Void = { _ in },
        _ test: (ServerAddress, RoomName) async throws -> Void
    ) async throws {
        var configuration = SignalingConfiguration()
        configuration.port = 0
        configure(&configuration)
        let server = SignalingServer(configuration: configuration, logger: .silent)
        let running = Task { try await server.run() }
        let address = try ServerAddress("http://127.0.0.1:\(await server.port)")
        try await test(address, try #require(Self.room))
        await server.stop()
        try await running.value
    }

    @Test("a server that runs is asked twice, and says whether somebody shares")
    func examined() async throws {
        try await live { address, room in
            let report = try await address.examine(room)
            #expect(!report.isSecure && report.room.state == .waiting)
            #expect(report.roundTrip > .zero && report.firstAnswer > .zero)
        }
    }

    @Test("another user's server at the usual port is not taken for one of ours")
    func listener() {
        let tcp = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 92 1 0 100 0 0 10 0
               1: 0100007F:9C42 0100007F:1F91 01 00000000:00000000 00:00000000 00000000  1001        0 93 1 0 20 4 30 10 -1
               2: 0100007F:1F92 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 94 1 0 100 0 0 10 0
            """
        let tcp6 = tcp.split(separator: "\n")[0]
            + "\n   0: 00000000000000000000000000000000:1F93 00000000000000000000000000000000:0000 0A "
            + "00000000:00000000 00:00000000 00000000  1000        0 95 1 0 100 0 0 10 0\n"
        func isTrusted(_ port: Int, _ user: UInt32) -> Bool {
            LocalListener.isTrusted(port: port, user: user, tables: [tcp, String(tcp6)])
        }
        #expect(isTrusted(8080, 1000) && !isTrusted(8080, 1001) && !isTrusted(8080, 0))
        #expect(!isTrusted(8081, 1001), "a connection is no listener")
        #expect(isTrusted(8082, 1000), "root's")
        #expect(isTrusted(8083, 1000) && !isTrusted(8083, 1001))
        func isOwn(_ port: Int, _ user: UInt32) -> Bool {
            LocalListener.isOwnOnLoopback(port: port, user: user, tables: [tcp, String(tcp6)])
        }
        #expect(isOwn(8080, 1000) && !isOwn(8080, 0))
        #expect(!isOwn(8082, 1000), "root's serves others as well")
        #expect(!isOwn(8083, 1000), "it is reached from the network")
        #expect(!isOwn(8081, 1001) && !isOwn(9999, 1000))
        func isOnLoopback(_ port: Int) -> Bool { LocalListener.isOnLoopback(port: port, tables: [tcp, String(tcp6)]) }
        #expect(isOnLoopback(8080) && isOnLoopback(8082), "whose it is does not matter")
        #expect(!isOnLoopback(8083) && !isOnLoopback(9999))
        let both = [tcp, tcp.replacing("0100007F:1F90", with: "0200630A:1F90")]
        #expect(!LocalListener.isOnLoopback(port: 8080, tables: both), "one of two is reached from the network")
        func isBeyond(_ port: Int) -> Bool { LocalListener.isBeyondLoopback(port: port, tables: both) }
        #expect(isBeyond(8080) && !isBeyond(8082) && !isBeyond(9999), "where nobody listens nobody is reached")
        #expect(!LocalListener.isTrusted(port: 8080, user: 1000, tables: ["nonsense\n1 2 3"]))
    }

    @Test("one at 127.0.0.1 is on loopback also where the network has IPv6 alone: the system has it as ::ffff:127.0.0.1")
    func mappedListener() {
        func table(_ address: String) -> String {
            "sl local_address …\n 0: \(address):1F90 \(String(repeating: "0", count: 32)):0000 0A 0:0 00:0 0 1000 0 92 1\n"
        }
        func isOwn(_ address: String) -> Bool {
            LocalListener.isOwnOnLoopback(port: 8080, user: 1000, tables: [table(address)])
        }
        #expect(isOwn("0000000000000000FFFF00000100007F"))
        #expect(!isOwn("0000000000000000FFFF00000200630A") && !isOwn("0000000000000000FFFF000000000000"))
    }

    @Test("this process's own server is")
    func ownListener() async throws {
        try await live { address, _ in
            let port = try #require(address.base.port)
            #expect(LocalListener.isTrusted(port: port))
        }
    }

    @Test("the way takes something both ways, of which a second's worth is sent")
    func measured() async throws {
        try await live { address, room in
            for direction in [RateProbe.Direction.up, .down] {
                let transfer = try await RateProbe(address, room: room).measure(direction)
                #expect(transfer.bytes > 32 * 1024 && transfer.bytes <= 1 << 20)
                #expect(transfer.bitsPerSecond > 0)
            }
        }
    }

    @Test("a server that demands a token of sharers says so, and takes the right one")
    func token() async throws {
        try await live {
            $0.policy = { _ in RoomPolicy(sharerToken: BearerToken("sesame")) }
        } _: { address, room in
            await #expect(throws: SignalingError.tokenRequired) { try await RateProbe(address, room: room).measure(.up) }
            _ = try await RateProbe(address, room: room, token: BearerToken("sesame")).measure(.down)
        }
    }

    @Test("a server without a measure is told from one that is not there")
    func without() async throws {
        let room = try #require(Self.room)
        try await ScriptedServer.run { _ in ScriptedServer.answer(404) } _: { server in
            let address = try ServerAddress("http://127.0.0.1:\(server.port)")
            await #expect(throws: SignalingError.gone) { try await RateProbe(address, room: room).measure(.down) }
            await #expect(throws: SignalingError.gone) { try await address.examine(room) }
        }
        let nowhere = try ServerAddress("http://127.0.0.1:1")
        await #expect(throws: SignalingError.unreachable(.connectionRefused)) { try await nowhere.examine(room) }
    }

    @Test("what answers, but not as a signaling server would, is none")
    func foreign() async throws {
        let room = try #require(Self.room)
        try await ScriptedServer.run { _ in ScriptedServer.answer(200, [:], "<html>") } _: { server in
            let address = try ServerAddress("http://127.0.0.1:\(server.port)")
            await #expect(throws: SignalingError.unreadable("answer")) { try await address.examine(room) }
        }
    }

    @Test("the answer of a later server is read, whatever words it has for a room")
    func later() async throws {
        let room = try #require(Self.room)
        let state = #"{"room":"demo","state":"interrupted","viewers":1,"tokenRequired":false,"audio":"spoken"}"#
        try await ScriptedServer.run { _ in ScriptedServer.answer(200, [:], state) } _: { server in
            let report = try await ServerAddress("http://127.0.0.1:\(server.port)").examine(room)
            #expect(report.room.state == .paused && report.room.audio == nil)
        }
    }

    @Test("more bytes than were asked for are not taken")
    func flood() async throws {
        let room = try #require(Self.room)
        let body = String(repeating: "a", count: (1 << 20) + 1)
        try await ScriptedServer.run { _ in ScriptedServer.answer(200, [:], body) } _: { server in
            let address = try ServerAddress("http://127.0.0.1:\(server.port)")
            await #expect(throws: SignalingError.unreadable("answer")) {
                try await RateProbe(address, room: room).measure(.down)
            }
        }
    }

    @Test("the second transfer is sized by the first: about a second, between 32 KiB and a MiB")
    func sizes() {
        func next(_ bytes: Int, _ time: Duration) -> Int { Transfer(bytes: bytes, time: time).next(within: .seconds(1)) }
        #expect(next(32 * 1024, .milliseconds(1)) == 1 << 20)
        #expect(next(32 * 1024, .zero) == 1 << 20)
        #expect(next(32 * 1024, .milliseconds(250)) == 128 * 1024)
        #expect(next(32 * 1024, .seconds(3)) == 32 * 1024)
        #expect(Transfer(bytes: 125_000, time: .milliseconds(500)).bitsPerSecond == 2e6)
        #expect(Transfer(bytes: 1, time: .zero).bitsPerSecond == 0)
    }
}
