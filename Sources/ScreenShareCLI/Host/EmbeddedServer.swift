import Logging
import SignalingServer
import Synchronization

/// A signaling server that lives in this process.
final class EmbeddedServer: Sendable {
    private let listen: ListenAddress
    private let server: SignalingServer
    private let running = Mutex<Task<Void, any Error>?>(nil)

    /// - Parameter sharer: the only room that may be shared here, and what its sharer presents; nil: any, by anyone.
    init(
        listen: ListenAddress, sharer: (room: RoomName, token: BearerToken)? = nil, allowedHosts: [String] = [],
        allowedOrigins: [String] = [], iceServers: @escaping @Sendable () -> [ICEServer], logger: Logger
    ) {
        self.listen = listen
        var configuration = SignalingConfiguration()
        configuration.host = listen.host
        configuration.port = listen.port
        configuration.allowedHosts = allowedHosts
        configuration.allowedOrigins = allowedOrigins
        configuration.viewerICEServers = iceServers
        // How many may watch is the sharer's to say.
        configuration.policy = { room in
            guard let sharer else { return RoomPolicy(maxViewers: .max) }
            return room == sharer.room ? RoomPolicy(sharerToken: sharer.token, maxViewers: .max) : nil
        }
        server = SignalingServer(configuration: configuration, logger: logger)
    }

    /// Returns once it listens.
    func start() async throws -> ServedPlace {
        let task = Task { [server] in try await server.run() }
        running.withLock { $0 = task }
        do {
            return ServedPlace(listen, port: try await server.port)
        } catch {
            throw Failure(.unavailable, "can't listen at \(listen): \(error) Choose another --listen.")
        }
    }

    /// Returns when what was being answered has been, and all streams have ended: viewers are to hear of it.
    func stop() async {
        await server.stop()
        await ended()
    }

    /// Returns once it serves no more: before `stop` only where the system refuses it connections.
    func ended() async {
        _ = await running.withLock { $0 }?.result
    }
}
