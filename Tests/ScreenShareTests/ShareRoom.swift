import Logging
import ScreenShare
import SignalingServer

/// A share in a room of a server in this process, all on loopback, with pictures pushed by the test.
final class ShareRoom: Sendable {
    let source = CustomVideoSource()
    let session: ShareSession
    let address: String
    private let server: SignalingServer
    private let published: PublishedRoom
    static let name = "demo"

    init(configure: (inout ShareConfiguration) -> Void = { _ in }) async throws {
        var signaling = SignalingConfiguration()
        signaling.port = 0
        let server = SignalingServer(configuration: signaling, logger: Self.logger)
        Task { try await server.run() }
        var configuration = ShareConfiguration(source: .custom(source))
        configuration.network.interfaces = ["127.0.0.1"]
        configure(&configuration)
        session = ShareSession(configuration: configuration, logger: Self.logger)
        try await session.start()
        self.server = server
        address = "http://127.0.0.1:\(try await server.port)"
        published = try await session.publish(RoomPublication(server: address, room: Self.name))
    }

    func close() async {
        await published.end()
        await session.stop()
        await server.stop()
    }

    func viewer(constantFrameRate: Bool = false, patience: Duration? = nil) -> ViewSession {
        var configuration = ViewConfiguration(server: address, room: Self.name)
        configuration.network.interfaces = ["127.0.0.1"]
        configuration.constantFrameRate = constantFrameRate
        configuration.patience = patience
        return ViewSession(configuration: configuration, logger: Self.logger)
    }

    /// Pushes grey pictures of rising brightness until the task is cancelled, at an uneven pace.
    func paint(width: Int = 320, height: Int = 240) -> Task<Void, any Error> {
        Task { [source] in
            let clock = ContinuousClock()
            let begin = clock.now
            for frame in 0... {
                let pixels = [UInt8](repeating: UInt8(frame * 3 % 256), count: width * height * 4)
                try source.push(
                    pixels.span.bytes, format: .bgra, width: width, height: height, timestamp: clock.now - begin)
                try await Task.sleep(for: .milliseconds(10 + frame * 17 % 60))
            }
        }
    }

    private static var logger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .error
        return logger
    }
}
