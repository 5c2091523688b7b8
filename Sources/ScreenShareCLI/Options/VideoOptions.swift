import ArgumentParser
import ScreenShare

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
