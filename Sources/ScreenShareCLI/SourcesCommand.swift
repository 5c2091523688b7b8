import ArgumentParser
import FoundationEssentials
import ScreenShare

struct SourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources", abstract: "List the displays, monitors and windows that can be shared.")

    @Option(help: "The X display (default: $DISPLAY).")
    var display: String?

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        let sources: ShareableSources
        do {
            sources = try ShareableSources.list(display: display)
        } catch {
            throw Failure(error)
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(sources), as: UTF8.self))
        } else {
            print(sources.text)
        }
    }
}

extension ShareableSources {
    /// A table for people; what stands first on a line is what the option takes.
    var text: String {
        var lines = ["Displays"]
        lines += displays.map { "  \($0.name)  \($0.width)x\($0.height)  depth \($0.depth)" }
        lines.append("Monitors (--monitor NAME)")
        lines += monitors.map { "  \($0.name)  \($0.width)x\($0.height)+\($0.x)+\($0.y)\($0.primary ? "  primary" : "")" }
        lines.append("Windows (--window ID or a part of the title)")
        lines += windows.map { "  \($0.id)  \($0.width)x\($0.height)  \($0.title)\($0.visible ? "" : "  (hidden)")" }
        return lines.joined(separator: "\n")
    }
}
