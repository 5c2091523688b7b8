import ArgumentParser
import Glibc
import ScreenShare
import SignalingServer

struct ViewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Watch a room: H.264 (Annex B, constant frame rate) or Matroska on standard output.",
        discussion: """
            Play it at once with   screenshare view --room demo | ffplay -
            or keep it with        screenshare view --room demo > out.h264
            and with its sound     screenshare view --room demo --audio out.opus > out.h264
            or both in one file    screenshare view --room demo --container mkv > out.mkv

            Exit codes: 0 done (also when the reader closed the pipe), 64 wrong usage or standard output is a \
            terminal, 69 no server or room, 70 internal error, 74 a file can't be written, 77 the token is \
            missing or wrong, or a TURN server refuses us. Without --stun and --turn, the servers that the signaling \
            server names are used.
            """)

    @Option(help: "The room to watch.")
    var room: String?

    @Option(help: "The signaling server (default: http://\(ListenAddress.standard)).")
    var signaling: String?

    @Option(help: "Any WHEP endpoint instead of a room.")
    var whep: String?

    @Option(help: "The room's token.")
    var token: String?

    @Option(help: ArgumentHelp(
            "Write the sound to this file, in step with the video: Ogg Opus (.opus, .ogg), or decoded (.wav). Without it "
                + "none is asked for."),
        completion: .file())
    var audio: String?

    @Option(
        help: ArgumentHelp(
            "What goes to standard output: h264, or mkv: Matroska with the pictures as they come and the sound. Loads "
                + "libavformat (25 MB)."))
    var container = Container.h264

    @Option(help: "The most that the sound may take, such as 32k, 6k…510k bits per second (default: as the sharer likes).")
    var audioBitrate: AudioBitrateArgument?

    enum Container: String, ExpressibleByArgument, CaseIterable {
        case h264, mkv
    }

    @Option(help: "Stop this many seconds after the first picture.")
    var duration: Double?

    @Option(help: "Stop after this many pictures.")
    var frames: Int?

    @Option(help: "Give up where there is nothing to see after this many seconds (default: wait for ever).")
    var wait: Double?

    @OptionGroup(title: "Network")
    var network: NetworkOptions

    @Option(help: "Write statistics as one JSON object a second to a file (- is taken by the video).", completion: .file())
    var statsJson: String?

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel: LogLevelArgument = .warning

    /// More than a still screen's signs of life are apart.
    private static let longestStill = Duration.seconds(2)

    func validate() throws {
        if room != nil, whep != nil { throw ValidationError("Choose --room or --whep, not both.") }
        if room == nil, whep == nil { throw ValidationError("Name a --room or a --whep endpoint.") }
        if whep != nil, signaling != nil { throw ValidationError("Choose --signaling or --whep, not both.") }
        for (name, address) in [("--signaling", signaling), ("--whep", whep)] {
            if let address { try WebAddress.check(address, of: name, isServer: name == "--signaling") }
        }
        if let token, BearerToken(foreign: token) == nil {
            throw ValidationError("A token has 1…8192 visible characters, and no spaces.")
        }
        if let room { try RoomArgument.check(room) }
        if let duration, !(duration > 0 && duration < 1e9) {
            throw ValidationError("--duration takes seconds above 0, and below 1000000000.")
        }
        if let wait, !(wait >= 0 && wait < 1e9) { throw ValidationError("--wait takes seconds from 0 up, and below 1000000000.") }
        if let audio, !AudioFile.isKnown(audio) {
            throw ValidationError("--audio takes a file whose name ends in .opus, .ogg or .wav.")
        }
        if container == .mkv, audio != nil {
            throw ValidationError("A Matroska file holds the sound: choose --container mkv or --audio, not both.")
        }
        if audioBitrate != nil, audio == nil, container != .mkv {
            throw ValidationError("No sound is asked for: --audio-bitrate goes with --audio or --container mkv.")
        }
        if let frames, frames < 1 { throw ValidationError("--frames takes a number from 1 up.") }
    }

    func run() async throws {
        if isatty(STDOUT_FILENO) == 1 {
            throw Failure(
                .usage, "this would print video into your terminal; send it somewhere: | ffplay -  or  > out.h264")
        }
        if statsJson == "-" { throw Failure(.usage, "--stats-json - does not go with video on standard output") }
        let output = try output()
        let server = signaling ?? "http://\(ListenAddress.standard)"
        var configuration =
            whep.map(ViewConfiguration.init(endpoint:)) ?? ViewConfiguration(server: server, room: room ?? "")
        configuration.token = token
        configuration.patience = wait.map { .seconds($0) }
        configuration.constantFrameRate = container == .h264
        // A player at the other end of a pipe shows what comes, and would be late by all of every gap.
        if audio == nil, OutputFile.isRead(STDOUT_FILENO) { configuration.longestStill = Self.longestStill }
        configuration.receivesAudio = audio != nil || container == .mkv
        configuration.maximumAudioBitrate = audioBitrate?.bitsPerSecond
        configuration.decodesAudio = audio.map(AudioFile.isDecoded) ?? false
        configuration.waitsForLateAudio = output.keepsSound
        configuration.duration = duration.map { .seconds($0) }
        configuration.network = try network.configuration()
        let runner = ViewRunner(
            session: ViewSession(configuration: configuration, logger: Console.logger(level: logLevel.level)),
            place: ViewedPlace(room: room, address: whep ?? server), frames: frames, output: output,
            statistics: try statsJson.map(StatsWriter.init))
        try await runner.run()
    }

    private func output() throws -> ViewOutput {
        let file = OutputFile(descriptor: try ProcessSetup.standardOutput())
        switch container {
        case .h264: return .annexB(file, sound: try audio.map(AudioFile.init))
        case .mkv: return .matroska(try MatroskaFile(output: file))
        }
    }
}
