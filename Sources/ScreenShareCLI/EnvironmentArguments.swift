import Glibc

/// Settings from the environment: `SCREENSHARE_UDP_PORT=5004` stands for `--udp-port 5004` where that is not given.
enum EnvironmentArguments {
    private static let common = ["signaling", "token", "log-level", "interface"]
    private static let options: [String: [String]] = [
        "host": common + [
            "room", "display", "monitor", "window", "region", "size", "fps", "bitrate", "listen", "max-viewers",
            "udp-port", "stun", "duration", "stats-json",
        ],
        "view": common + ["room", "whep", "duration", "frames", "wait", "stats-json", "stun"],
        "serve": ["listen", "log-level", "allow-host", "allow-origin"],
        "sources": ["display"],
    ]
    private static let flags: [String: [String]] = ["host": ["no-cursor", "open", "test-pattern"], "sources": ["json"]]
    /// Where one is on the command line, the others' variables are not for this run.
    private static let exclusive = [["monitor", "window", "region", "test-pattern"], ["signaling", "listen", "whep"],
        ["token", "open"]]

    static var current: [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let pointer = entry.pointee {
            let text = String(cString: pointer)
            if text.hasPrefix("SCREENSHARE_"), let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            entry += 1
        }
        return result
    }

    static func merge(_ arguments: [String], environment: [String: String]) -> [String] {
        guard let command = arguments.first, let names = options[command] else { return arguments }
        let given = Set(arguments.compactMap(Self.optionName))
        func isFree(_ name: String) -> Bool {
            !given.contains(name) && !exclusive.contains { $0.contains(name) && !given.isDisjoint(with: $0) }
        }
        var merged = arguments
        for name in names where isFree(name) {
            guard let value = environment[variable(name)], !value.isEmpty else { continue }
            for part in name == "interface" || name == "stun" ? value.split(separator: ",").map(String.init) : [value] {
                merged += ["--\(name)", part]
            }
        }
        for name in flags[command] ?? [] where isFree(name) {
            if let value = environment[variable(name)], ["1", "true", "yes"].contains(value.lowercased()) {
                merged.append("--\(name)")
            }
        }
        return merged
    }

    private static func variable(_ option: String) -> String {
        "SCREENSHARE_" + option.uppercased().replacing("-", with: "_")
    }

    private static func optionName(_ argument: String) -> String? {
        guard argument.hasPrefix("--"), argument.count > 2 else { return nil }
        return String(argument.dropFirst(2).prefix { $0 != "=" })
    }
}
