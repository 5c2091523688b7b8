import ArgumentParser
import Glibc
import Logging
import ScreenShare
import SignalingServer

struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Share a screen in a room.",
        discussion: """
            Without --signaling and --listen, a signaling server of yours, or root's, that runs at \(ListenAddress.standard) \
            already is used; of yours, for this machine alone, one in this process takes the place once it is gone for five \
            seconds. Else one runs inside this process; it tells viewers of the --stun and --turn servers, with credentials. \
            Where others in the network reach the server, viewers need a token: that of --token, or one that is made and \
            stands in the printed link; with --open they need none. Keys on a terminal: p pauses and resumes (so does \
            SIGUSR1), s mutes the system's sound, m the microphone, q quits, ? lists them.

            Exit codes: 0 done, 64 wrong usage, 69 no display, server or room, 70 internal error, 74 the statistics \
            can't be written, 77 the server demands a token, or a TURN server refuses us.
            """)

    @Option(help: "The room's name: letters, digits and . _ ~ -, at most 64.")
    var room: String

    @OptionGroup(title: "What is shared")
    var source: SourceOptions

    @OptionGroup(title: "Video")
    var video: VideoOptions

    @OptionGroup(title: "Signaling behind a proxy")
    var names: ServerNames

    @OptionGroup(title: "Sound")
    var sound: AudioOptions

    @Option(help: "Register at this signaling server, such as https://meet.example.org.")
    var signaling: String?

    @Option(
        help: ArgumentHelp(
            "Where the built-in signaling server listens: \(ListenAddress.forms) (default: \(ListenAddress.standard))."))
    var listen: ListenAddress?

    @Option(help: "Viewers must know this token.")
    var token: String?

    @Flag(help: "Let others in the network watch without a token.")
    var open = false

    @Option(help: "Refuse viewers beyond this many.")
    var maxViewers = 100

    @OptionGroup(title: "Network")
    var network: HostNetworkOptions

    @Option(help: "Stop after this many seconds.")
    var duration: Double?

    @Option(
        help: "Write statistics as one JSON object a second to a file, or - for standard output.", completion: .file())
    var statsJson: String?

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel: LogLevelArgument = .warning

    func validate() throws {
        try Self.checkSignaling(signaling, listen, names)
        try RoomArgument.check(room)
        try Self.check(token: token, open: open, maximumViewers: maxViewers, duration: duration)
    }

    /// What `doctor` refuses as well, as the next one.
    static func checkSignaling(_ signaling: String?, _ listen: ListenAddress?, _ names: ServerNames) throws {
        if signaling != nil, listen != nil { throw ValidationError("Choose --signaling or --listen, not both.") }
        if signaling != nil, !names.isEmpty {
            throw ValidationError("Choose --signaling, or --allow-host and --allow-origin: a server elsewhere has its own.")
        }
        if let signaling { try WebAddress.check(signaling, of: "--signaling", isServer: true) }
    }

    static func check(token: String?, open: Bool, maximumViewers: Int?, duration: Double?) throws {
        if token != nil, open { throw ValidationError("Choose --token or --open, not both.") }
        let viewers = ShareConfiguration.viewers
        if let maximumViewers, !viewers.contains(maximumViewers) {
            throw ValidationError("--max-viewers takes \(viewers.lowerBound)…\(viewers.upperBound).")
        }
        if let duration, !(duration > 0 && duration < 1e9) {
            throw ValidationError("--duration takes seconds above 0, and below 1000000000.")
        }
        if let token, BearerToken(token) == nil {
            throw ValidationError("A token has 1…256 letters, digits and - . _ ~ + /.")
        }
    }

    func run() async throws {
        let logger = Console.logger(level: logLevel.level)
        var configuration = ShareConfiguration(source: source.source)
        configuration.size = video.outputSize
        configuration.frameRate = video.fps.flatMap { OutputFrameRate(rawValue: $0) }
        configuration.mode = video.mode
        configuration.preset = video.preset
        configuration.maximumBitrate = video.bitrate.bitsPerSecond
        configuration.showsCursor = !source.noCursor
        configuration.maximumViewers = maxViewers
        configuration.network = try network.configuration()
        let sound = try sound.plan(among: ShareableAudio.list())
        configuration.audio = sound.configuration
        let runner = HostRunner(
            session: ShareSession(configuration: configuration, logger: logger),
            sounds: sound.configuration.kinds, soundText: sound.text,
            plan: SignalingPlan(
                room: room, signaling: signaling, listen: listen, names: names, token: token, open: open, maximumViewers: maxViewers,
                iceServers: try network.common.servers.viewerServers()),
            duration: duration, statistics: try statsJson.map(StatsWriter.init), logger: logger)
        try await runner.run()
    }
}

struct LogLevelArgument: ExpressibleByArgument, CustomStringConvertible {
    let level: Logger.Level
    static let warning = LogLevelArgument(level: .warning)

    init(level: Logger.Level) {
        self.level = level
    }

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }

    var description: String { level.rawValue }
}
