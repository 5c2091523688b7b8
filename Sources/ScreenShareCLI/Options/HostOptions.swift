import ArgumentParser
import ScreenShare

/// What is shared and how: options of `host` and `doctor`.
struct SourceOptions: ParsableArguments {
    @Option(help: "The X display (default: $DISPLAY).")
    var display: String?

    @Option(help: "Share one monitor, by its RandR name.")
    var monitor: String?

    @Option(help: "Share one window, by id or a part of its title, until it is closed.")
    var window: String?

    @Option(
        help: ArgumentHelp(
            "Share a rectangle of the display: WxH+X+Y, with sides of 2…\(PictureLimits.side) pixels, "
                + "at 0…\(Region.farthest)."))
    var region: Region?

    @Flag(help: "Share a drawn test pattern instead of a screen.")
    var testPattern = false

    @Flag(help: "Leave the mouse pointer out.")
    var noCursor = false

    func validate() throws {
        let chosen = [monitor != nil, window != nil, region != nil, testPattern].filter { $0 }.count
        if chosen > 1 { throw ValidationError("Choose one of --monitor, --window, --region and --test-pattern.") }
    }

    var source: ShareSource {
        if testPattern { return .testPattern(width: 1280, height: 720) }
        if let monitor { return .monitor(monitor, display: display) }
        if let window { return .window(window, display: display) }
        if let region {
            return .region(x: region.x, y: region.y, width: region.width, height: region.height, display: display)
        }
        return .display(display)
    }
}

struct VideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The encoded size: WxH (exactly, with bars; even sides of 16…\(PictureLimits.side), "
                + "\(PictureLimits.pixels) pixels at most), native, or at most 360p, 480p, 540p, 720p, 1080p, 1440p, 2160p. "
                + "Default: 1080p, in mode detail native."))
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp(
            "The encoded size: no more pixels than these, "
                + "\(PictureLimits.pixelCounts.lowerBound)…\(PictureLimits.pixelCounts.upperBound)."))
    var maxPixels: Int?

    @Option(
        help: ArgumentHelp(
            "What counts most: detail or text (both: sharpness, at most 15 frames a second; with --fps that rate), motion (the "
                + "rate of the film that plays), or auto (whichever is on the screen)."))
    var mode = ContentMode.auto

    @Option(
        help: ArgumentHelp(
            "Frames per second, 24 or 30, whatever is on the screen: in mode auto it is treated as a film then, and becomes "
                + "smaller where a path is slow, until it rests; in mode detail no frames are left out for sharpness. Default: "
                + "as the mode says."))
    var fps: Int?

    @Option(help: "The most that video and sound may use together, such as 800k, 100k…100M bits per second.")
    var bitrate = BitrateArgument(bitsPerSecond: 4_000_000)

    @Option(
        help: ArgumentHelp(
            "How hard x264 tries: minimal, ultrafast, superfast, veryfast, faster, fast or medium. Above ultrafast, "
                + "a share takes more than 50 MB at 720p and more than 100 MB at 1080p. When the processor is too busy, less is tried."))
    var preset = EncoderPreset.ultrafast

    var outputSize: OutputSize { maxPixels.map { OutputSize.maximumPixels($0) } ?? size?.size ?? .automatic }

    func validate() throws {
        if size != nil, maxPixels != nil { throw ValidationError("Choose --size or --max-pixels, not both.") }
        let counts = PictureLimits.pixelCounts
        if let maxPixels, !counts.contains(maxPixels) {
            throw ValidationError("--max-pixels takes \(counts.lowerBound)…\(counts.upperBound).")
        }
        if let fps, OutputFrameRate(rawValue: fps) == nil { throw ValidationError("--fps takes 24 or 30.") }
    }
}

struct NetworkOptions: ParsableArguments {
    @Option(
        help: "The UDP port for all viewers, 1…65535 (default: any free one); the same of TCP where it is free.")
    var udpPort: UInt16?

    @Flag(help: "Don't listen for viewers whose network lets no UDP through.")
    var noTcp = false

    @Flag(help: "Don't ask routers for a call's treatment (DSCP AF41 and EF), nor for marks instead of drops (ECN).")
    var noDscp = false

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "A local IP address to use, or an interface such as eth0; can be repeated. Default: all but link-local, and "
                + "loopback only where there is nothing else."))
    var interfaces: [String] = []

    @OptionGroup var servers: ICEServerOptions

    @Flag(help: "Tell and use nothing but the TURN servers' addresses: viewers don't learn ours.")
    var relayOnly = false

    func validate() throws {
        if relayOnly, servers.turnAddresses.isEmpty { throw ValidationError("--relay-only needs a --turn server.") }
        try InterfaceArgument.check(interfaces)
    }

    func configuration() throws -> NetworkConfiguration {
        var network = NetworkConfiguration()
        network.udpPort = udpPort ?? 0
        network.usesTCP = !noTcp
        network.marksPackets = !noDscp
        network.interfaces = interfaces
        network.stunServers = servers.stunServers
        network.turnServers = try servers.turnServers()
        network.relayOnly = relayOnly
        return network
    }
}

/// `192.168.1.2`, `fd00::2`, `eth0`.
enum InterfaceArgument {
    /// As many as a session takes.
    private static let most = 8

    static func check(_ texts: [String]) throws {
        if texts.count > most { throw ValidationError("At most \(most) addresses or interfaces.") }
        if let text = texts.first(where: { !NetworkConfiguration.isInterface($0) }) {
            throw ValidationError(
                "--interface takes an IP address, without brackets, or an interface that has one (see ip addr): not "
                    + "\"\(text)\".")
        }
    }
}

/// `WxH+X+Y`.
struct Region: ExpressibleByArgument {
    /// X11 counts places with 16 bits, and a sign.
    static let farthest = 32_767

    var x: Int
    var y: Int
    var width: Int
    var height: Int

    init?(argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = SizeArgument.dimensions(parts[0]), let x = Int(parts[1]),
            let y = Int(parts[2]), (0...Self.farthest).contains(x), (0...Self.farthest).contains(y)
        else { return nil }
        (self.x, self.y, width, height) = (x, y, size.width, size.height)
    }
}

/// `WxH`, `native` or a preset such as `720p`.
struct SizeArgument: ExpressibleByArgument {
    let size: OutputSize

    init?(argument: String) {
        if argument == "native" {
            size = .native
        } else if let preset = Self.presets[argument] {
            size = .within(longSide: preset.width, shortSide: preset.height)
        } else if let (width, height) = Self.dimensions(argument[...]), width >= 16, height >= 16,
            width.isMultiple(of: 2), height.isMultiple(of: 2), width * height <= PictureLimits.pixels
        {
            // Colours are halved in both directions (4:2:0): an odd side would not come out exactly.
            size = .exactly(width: width, height: height)
        } else {
            return nil
        }
    }

    private static let presets: [String: (width: Int, height: Int)] = [
        "360p": (640, 360), "480p": (854, 480), "540p": (960, 540), "720p": (1280, 720), "1080p": (1920, 1080),
        "1440p": (2560, 1440), "2160p": (3840, 2160),
    ]

    static func dimensions(_ text: Substring) -> (width: Int, height: Int)? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        let sides = 2...PictureLimits.side
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), sides.contains(width),
            sides.contains(height)
        else { return nil }
        return (width, height)
    }
}

extension ContentMode: ExpressibleByArgument {
    /// By its name, or by a content hint of WebRTC's that stands for it.
    public init?(argument: String) {
        guard let mode = ContentMode(rawValue: argument) ?? ContentMode(contentHint: argument) else { return nil }
        self = mode
    }

    public static var allValueStrings: [String] { allCases.map(\.rawValue) + ["text"] }
}

// By their names.
extension EncoderPreset: ExpressibleByArgument {}

/// `4M`, `800k`, `2500000`.
struct BitrateArgument: ExpressibleByArgument, CustomStringConvertible {
    let bitsPerSecond: Int

    init(bitsPerSecond: Int) {
        self.bitsPerSecond = bitsPerSecond
    }

    init?(argument: String) {
        guard let rate = Self.rate(argument, within: ShareConfiguration.bitrates) else { return nil }
        bitsPerSecond = rate
    }

    /// Nil for a text that is no number, or none of these.
    static func rate(_ text: String, within bounds: ClosedRange<Int>) -> Int? {
        let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? text[...] : text.dropLast()) else { return nil }
        let rate = number * (factor ?? 1)
        return rate >= Double(bounds.lowerBound) && rate <= Double(bounds.upperBound) ? Int(rate) : nil
    }

    var description: String {
        bitsPerSecond % 1_000_000 == 0 ? "\(bitsPerSecond / 1_000_000)M" : "\(bitsPerSecond / 1000)k"
    }
}

/// Likewise, of sound: what Opus can have (RFC 7587 § 6.1).
struct AudioBitrateArgument: ExpressibleByArgument {
    let bitsPerSecond: Int

    init?(argument: String) {
        guard let rate = BitrateArgument.rate(argument, within: ViewConfiguration.audioBitrates) else { return nil }
        bitsPerSecond = rate
    }
}

/// `http://…` or `https://…`.
enum WebAddress {
    /// - Parameter isServer: whether it names a server, not a page: below a path the server's own addresses would not be
    ///   found.
    static func check(_ text: String, of option: String, isServer: Bool) throws {
        let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
        guard let scheme, text.count > scheme.count else {
            throw ValidationError("\(option) takes an address that begins with http:// or https://.")
        }
        // No request carries them (RFC 9110 § 4.2.4), and what is printed of an address is for everybody.
        guard !text.dropFirst(scheme.count).prefix(while: { !"/?#".contains($0) }).contains("@") else {
            throw ValidationError("\(option) takes an address without a user name or password; a token goes by --token.")
        }
        guard SignalingProbe.isAddress(text) else {
            throw ValidationError(
                "\(option) takes a host, and a port from 1 to 65535 where that is another than usual, such as "
                    + "https://meet.example.org:8443 or http://[::1]:8080.")
        }
        let path = text.dropFirst(scheme.count).drop { !"/?#".contains($0) }
        if isServer, !["", "/"].contains(path) {
            throw ValidationError("\(option) takes a server's address without a path, such as https://meet.example.org.")
        }
    }
}

/// `host:port`, `[v6]:port`, `:port`, `port` or `host`.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    let host: String
    let port: Int

    static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        var host = argument[...]
        var port = 8080
        if let number = Int(argument) {
            (host, port) = ("127.0.0.1", number)
        } else if argument.hasPrefix("[") {
            guard let end = argument.firstIndex(of: "]") else { return nil }
            host = argument[argument.index(after: argument.startIndex)..<end]
            let rest = argument[argument.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = argument.lastIndex(of: ":") {
            guard argument[..<colon].firstIndex(of: ":") == nil, let number = Int(argument[argument.index(after: colon)...])
            else { return nil }
            host = colon == argument.startIndex ? "0.0.0.0" : argument[..<colon]
            port = number
        }
        guard !host.isEmpty, (0...65_535).contains(port) else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// Names below "localhost" are bound to whatever they resolve to here, and that may be an address that others reach.
    var isLoopback: Bool { LocalNetwork.isLoopback(host: host) && !host.lowercased().hasSuffix(".localhost") }
    var description: String { Self.authority(host, port) }

    static func authority(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
