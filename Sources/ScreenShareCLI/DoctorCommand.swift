import ArgumentParser
import FoundationEssentials
import ScreenShare

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say whether sharing will work on this machine and in its network.",
        discussion: """
            Give it the options that you would give to host, all of which it takes: the display is looked at by taking a \
            picture of it (not of a window, monitor or region alone), sound by opening the devices, the network by \
            binding the ports, asking the STUN servers, having the TURN servers \
            relay, and sending up to a megabyte to the signaling server and back. No server is asked that isn't named. \
            It takes fifteen seconds at most.

            Each line says ok, warn (a share works, but not for everybody, or not well) or fail (it does not start, or \
            without sound that was asked for, or a server that was named is of no use), what was found, and what to do \
            about it.

            Exit codes: 0 nothing failed, 64 wrong usage, 69 something failed, 70 internal error, 74 what was found can't \
            be written.
            """)

    @OptionGroup(title: "What is shared")
    var source: SourceOptions

    @OptionGroup(title: "Video")
    var video: VideoOptions

    @OptionGroup(title: "Signaling behind a proxy")
    var names: ServerNames

    @OptionGroup(title: "Sound")
    var audio: AudioOptions

    @Option(help: "The room that is to be shared in.")
    var room: String?

    @Option(help: "The signaling server to register at, such as https://meet.example.org.")
    var signaling: String?

    @Option(
        help: ArgumentHelp(
            "Where the built-in signaling server is to listen: \(ListenAddress.forms) (default: \(ListenAddress.standard))."))
    var listen: ListenAddress?

    @OptionGroup(title: "Network")
    var network: HostNetworkOptions

    @OptionGroup(visibility: .hidden)
    var others: OtherHostOptions

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        try HostCommand.checkSignaling(signaling, listen, names)
        if let room { try RoomArgument.check(room) }
    }

    func run() async throws {
        if Console.isTerminal, !json { Console.status("Looking at the display, the sound and the network …") }
        let diagnosis = await Doctor(try configuration()).examine()
        Console.clearStatus()
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try OutputFile.printLine(String(decoding: try encoder.encode(diagnosis), as: UTF8.self))
        } else {
            try OutputFile.printLine(diagnosis.text)
        }
        if !diagnosis.canShare { throw Failure(.unavailable, "sharing will not work like this: see what failed") }
    }

    private func configuration() throws -> DoctorConfiguration {
        var configuration = DoctorConfiguration()
        configuration.display = source.display
        configuration.sharesDisplay = !source.testPattern
        configuration.audio = sound
        configuration.network = try network.configuration()
        configuration.room = room
        let address = listen ?? .standard
        configuration.signaling =
            signaling.map { .server($0) }
            ?? .listening(host: address.host, port: address.port, mayUseAnother: listen == nil)
        return configuration
    }

    private var sound: AudioConfiguration? {
        let choice = audio.choice
        if choice.audio == nil, choice.mic == nil, choice.system == nil { return nil }
        return AudioConfiguration(
            system: choice.wantsSystem ? choice.system.map { .device($0) } ?? .standard : nil,
            microphone: choice.wantsMicrophone ? choice.mic.map { .device($0) } ?? .standard : nil)
    }
}

/// What `host` is told that `doctor` has no use for.
struct OtherHostOptions: ParsableArguments {
    @Option var token: String?
    @Flag var open = false
    @Option var maxViewers: Int?
    @Option var duration: Double?
    @Option var statsJson: String?
    @Option var logLevel: LogLevelArgument?

    func validate() throws {
        try HostCommand.check(token: token, open: open, maximumViewers: maxViewers, duration: duration)
    }
}

extension Diagnosis {
    /// A line for each finding, and one for all of them where sharing works: otherwise the failure that is thrown says so.
    var text: String {
        let lines = findings.map { finding -> String in
            let advice = finding.advice.map { (finding.found.hasSuffix(".") ? " " : ". ") + $0 } ?? ""
            return Self.padded(finding.verdict.rawValue, 4) + "  " + Self.padded(finding.check.title, 14) + "  "
                + finding.found + advice
        }.map(Console.printable)
        if !canShare { return lines.joined(separator: "\n") }
        let warnings = findings.filter { $0.verdict == .warning }.count
        let summary =
            switch warnings {
            case 0: "Sharing will work."
            case 1: "Sharing will work, but see the warning."
            default: "Sharing will work, but see the warnings."
            }
        return (lines + [summary]).joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension Finding.Check {
    fileprivate var title: String {
        switch self {
        case .display: "display"
        case .sound: "sound"
        case .addresses: "addresses"
        case .udpPort: "UDP port"
        case .signalingPort: "signaling port"
        case .signaling: "signaling"
        case .rate: "rate"
        case .stun: "STUN"
        case .turn: "TURN"
        case .nat: "NAT"
        }
    }
}
