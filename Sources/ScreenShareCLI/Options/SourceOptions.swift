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
        if testPattern, display != nil { throw ValidationError("Choose --display or --test-pattern, not both.") }
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
