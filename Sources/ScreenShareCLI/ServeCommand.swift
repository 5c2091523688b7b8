import ArgumentParser
import Glibc
import SignalingServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the signaling server alone.",
        discussion: "Media never passes through it: it only brings sharers and viewers together. Whoever reaches it may "
            + "share, in any room that is free; whether viewers need a token is each sharer's to say.\n\n"
            + "Exit codes: 0 ended by a signal, 64 wrong usage, 69 can't listen there, or not any more, 70 internal error.")

    @Option(help: "Where to listen: \(ListenAddress.forms).")
    var listen = ListenAddress.standard

    @OptionGroup(title: "Behind a proxy")
    var names: ServerNames

    @OptionGroup(title: "What viewers are told of, with credentials")
    var servers: ICEServerOptions

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel: LogLevelArgument = .warning

    func run() async throws {
        let server = EmbeddedServer(
            listen: listen, allowedHosts: names.allowedHosts, allowedOrigins: names.allowedOrigins,
            iceServers: try servers.viewerServers(), logger: Console.logger(level: logLevel.level))
        let place = try await server.start()
        if let note = place.note { Console.line(note) }
        Console.line("Signaling server: http://\(place.reachable)  (rooms at http://\(place.reachable)/r/NAME)")
        let (ends, continuation) = AsyncStream.makeStream(of: Failure?.self)
        let end: @Sendable () -> Void = { continuation.yield(nil) }
        let signals = Signals([SIGINT: end, SIGTERM: end, SIGHUP: end])
        Task {
            await server.ended()
            let words = "The server has ended by itself: it got no more connections. `ulimit -n` is how many files it may open."
            continuation.yield(Failure(.unavailable, words))
        }
        var failure: Failure?
        for await reason in ends {
            failure = reason
            break
        }
        signals.cancel()
        await server.stop()
        if let failure { throw failure }
    }
}
