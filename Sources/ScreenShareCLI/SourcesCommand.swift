import ArgumentParser
import FoundationEssentials
import ScreenShare

struct SourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources", abstract: "List the displays, monitors, windows and sound devices that can be shared.",
        discussion: "Exit codes: 0 done, 64 wrong usage, 69 the display that was named can't be listed, or neither one nor sound, "
            + "70 internal error, 74 the listing can't be written.")

    @Option(help: "The X display (default: $DISPLAY).")
    var display: String?

    @Flag(help: "As JSON.")
    var json = false

    /// Sound there may be without a display.
    func run() async throws {
        // Where nothing tells of any, libpulse is not asked, which complains itself of a user without a home.
        let audio = ShareableAudio.mayExist ? ShareableAudio.list() : []
        let sources: ShareableSources?
        do throws(ShareError) {
            sources = try ShareableSources.list(display: display)
        } catch {
            if audio.isEmpty || display != nil { throw Failure(error) }
            sources = nil
            Console.error("No display is listed: \(error.description)")
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let listing = try encoder.encode(SourcesListing(sources: sources, audio: audio))
            try OutputFile.printLine(String(decoding: listing, as: UTF8.self))
        } else {
            if let sources { try OutputFile.printLine(sources.text) }
            try OutputFile.printLine(audio.text)
        }
    }
}

/// The fields of both, side by side.
struct SourcesListing: Encodable {
    /// Nil where there is no display to ask.
    let sources: ShareableSources?
    let audio: [ShareableAudio]

    private enum Key: CodingKey { case displays, monitors, windows, audio }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if let sources {
            try sources.encode(to: encoder)
        } else {
            // Whoever reads the listing finds all its fields.
            for key in [Key.displays, .monitors, .windows] { try container.encode([String](), forKey: key) }
        }
        try container.encode(audio, forKey: .audio)
    }
}

extension [ShareableAudio] {
    /// The ids are what the options take.
    var text: String {
        func lines(_ title: String, _ kind: SharedAudio, otherwise words: String) -> [String] {
            let found = filter { $0.kind == kind }.map { "  \($0.id)  \($0.name)\($0.isDefault ? "  default" : "")" }
            return [title] + (found.isEmpty ? ["  \(words)"] : found)
        }
        let system = lines(
            "System sound (--system ID)", .system, otherwise: "none: it takes a sound server, PulseAudio or PipeWire")
        let microphones = lines("Microphones (--mic ID)", .microphone, otherwise: "none found")
        return (system + microphones).map(Console.printable).joined(separator: "\n")
    }
}

extension ShareableSources {
    /// A table for people; what stands first on a line is what the option takes.
    var text: String {
        var lines = ["Displays"]
        lines += displays.map { "  \($0.name)  \($0.width)x\($0.height)  depth \($0.depth)" }
        lines.append("Monitors (--monitor NAME)")
        if monitors.isEmpty { lines.append("  none") }
        lines += monitors.map { "  \($0.name)  \($0.width)x\($0.height)+\($0.x)+\($0.y)\($0.isPrimary ? "  primary" : "")" }
        lines.append("Windows (--window ID or a part of the title)")
        if windows.isEmpty { lines.append("  none") }
        lines += windows.map { "  \($0.id)  \($0.width)x\($0.height)  \($0.title)\($0.isVisible ? "" : "  (hidden)")" }
        return lines.map(Console.printable).joined(separator: "\n")
    }
}
