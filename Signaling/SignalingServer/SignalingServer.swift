@_exported import struct SignalingProtocol.BearerToken
@_exported import struct SignalingProtocol.RoomName

import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The signaling server: brings sharers and viewers together over HTTP and serves the web viewer. Pictures never pass
/// through it.
///
/// ```swift
/// let server = SignalingServer(configuration: configuration, logger: logger)
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { try await server.run() }
///     print("listening at port \(try await server.port)")
///     …
///     await server.stop()
/// }
/// ```
public final class SignalingServer: Sendable {
    private let configuration: SignalingConfiguration
    private let routes: SignalingRoutes
    private let logger: Logger
    private let listening = Awaited<Int>()
    private let stopping = Awaited<Void>()

    /// Listens at nothing before `run`.
    public init(configuration: SignalingConfiguration = .init(), logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        routes = SignalingRoutes(configuration: configuration, logger: logger)
    }

    /// The port the server listens at; waits until it does, and throws what kept it from listening.
    public var port: Int {
        get async throws { try await listening.value }
    }

    /// Serves until `stop()`, until the task is cancelled, or until a service group around it shuts down. To be called
    /// once.
    ///
    /// - Throws: `SignalingServerError` where it can't listen; `.stopped` may be thrown where the task is cancelled.
    public func run() async throws {
        if let lack = ProcessLimits.lack {
            let error = SignalingServerError.cannotListen(host: configuration.host, port: configuration.port, reason: lack)
            await listening.resolve(.failure(error))
            throw error
        }
        // One thread: signaling is a few requests for each viewer, and each thread costs memory.
        let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await serve(on: eventLoops)
            await listening.resolve(.failure(SignalingServerError.stopped))
            Self.end(eventLoops)
        } catch {
            let error = SignalingServerError(error, configuration)
            await listening.resolve(.failure(error))
            Self.end(eventLoops)
            throw error
        }
    }

    /// A moment after the server: Hummingbird lets go of its listener in a task that nobody can wait for, and what comes to
    /// a loop that has ended is complained of on standard error.
    @discardableResult
    static func end(_ eventLoops: MultiThreadedEventLoopGroup) -> Task<Void, Never> {
        Task.detached {
            try? await Task.sleep(for: ServerLimits.farewell)
            try? await eventLoops.shutdownGracefully()
        }
    }

    /// Ends all event streams, lets what is being answered be answered, and makes `run()` return.
    public func stop() async {
        await stopping.resolve(.success(()))
    }

    private func serve(on eventLoops: MultiThreadedEventLoopGroup) async throws {
        guard UInt16(exactly: configuration.port) != nil else { throw SignalingServerError.noSuchPort(configuration) }
        var group = ServiceGroupConfiguration(services: [application(on: eventLoops)], logger: logger)
        group.maximumGracefulShutdownDuration = configuration.timing.drain
        let services = ServiceGroup(configuration: group)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await services.run() }
            tasks.addTask { await self.routes.run() }
            tasks.addTask {
                try await self.stopping.value
                await self.routes.stop()
                await services.triggerGracefulShutdown()
                try await Task.sleep(for: .seconds(3600))
            }
            tasks.addTask {
                try await gracefulShutdown()
                await self.stop()
                try await Task.sleep(for: .seconds(3600))
            }
            try await tasks.next()
        }
    }

    private func application(on eventLoops: MultiThreadedEventLoopGroup) -> some ApplicationProtocol {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: UnknownAddressMiddleware())
        routes.add(to: router)
        let timing = configuration.timing
        let places = ConnectionPlaces(limit: configuration.maxConnections)
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionGuard(
                    deadline: timing.header + timing.body, readingDeadline: timing.reading, places: places)
            ],
            idleTimeout: TimeAmount(timing.header),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: ServerLimits.headerBytes, maxHeaderListSize: ServerLimits.headerBytes,
                maxHeaderFieldCount: ServerLimits.headerFields))
        return Application(
            router: router, server: .http1(configuration: http),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    configuration.maxConnections, logger: logger)),
            onServerRunning: { [listening] channel in
                await listening.resolve(.success(channel.localAddress?.port ?? 0))
            },
            eventLoopGroupProvider: .shared(eventLoops), logger: quiet(logger))
    }

    /// Hummingbird's own log, from warnings on: below that it writes what a request held.
    private func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}
