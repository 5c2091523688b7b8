import ArgumentParser
import Glibc

/// Settings from the environment: `SCREENSHARE_UDP_PORT=5004` stands for `--udp-port 5004` where that is not given.
enum EnvironmentArguments {
    /// Where one is on the command line, the others' variables are not for this run.
    private static let exclusive = [["monitor", "window", "region", "test-pattern"], ["display", "test-pattern"],
        ["signaling", "listen", "whep"], ["token", "open"], ["size", "max-pixels"], ["room", "whep"],
        ["turn-secret", "turn-user"], ["turn-secret", "turn-password"]]
    /// Several values stand with commas between them.
    private static let repeatable = ["interface", "stun", "turn", "allow-host", "allow-origin"]

    /// What a flag's variable may hold.
    private static let yes: Set = ["1", "true", "yes", "on"]
    private static let no: Set = ["", "0", "false", "no", "off"]

    /// A command's options and flags, as its help lists them: none can be forgotten here.
    private static func names(of command: any ParsableCommand.Type) -> (options: [String], flags: [String]) {
        var (options, flags): ([String], [String]) = ([], [])
        for line in command.helpMessage(columns: 200).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard line.hasPrefix("  "), !line.hasPrefix("   "), let name = words.first(where: { $0.hasPrefix("--") })
            else { continue }
            let takesValue = words.drop { $0 != name }.dropFirst().first?.hasPrefix("<") ?? false
            if takesValue { options.append(String(name.dropFirst(2))) } else { flags.append(String(name.dropFirst(2))) }
        }
        return (options, flags.filter { $0 != "help" && $0 != "version" })
    }

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

    /// Where what `merge` added comes from.
    static func variables(of added: ArraySlice<String>) -> [String] {
        var result: [String] = []
        for name in added.compactMap(optionName).map(variable) where !result.contains(name) { result.append(name) }
        return result
    }

    /// What is set in the environment stands behind what is on the command line.
    static func merge(_ arguments: [String], environment: [String: String]) -> [String] {
        let commands = Screenshare.configuration.subcommands
        guard !environment.isEmpty, let command = commands.first(where: { $0._commandName == arguments.first })
        else { return arguments }
        let names = names(of: command)
        let given = Set(arguments.compactMap(Self.optionName))
        func isSet(_ name: String) -> Bool { environment[variable(name)].map { !$0.isEmpty } ?? false }
        func isFree(_ name: String) -> Bool {
            if isOfOwnServer(name), names.options.contains("signaling"), isElsewhere() { return false }
            return !given.contains(name) && !exclusive.contains { $0.contains(name) && !given.isDisjoint(with: $0) }
        }
        func isElsewhere() -> Bool { given.contains("signaling") || isSet("signaling") && isFree("signaling") }
        var merged = arguments
        for name in names.options where isFree(name) {
            guard let value = environment[variable(name)], !value.isEmpty, fits(name, value, command, arguments, merged)
            else { continue }
            merged += split(value, of: name).map { "--\(name)=\($0)" }
        }
        for name in names.flags where isFree(name) {
            guard let value = environment[variable(name)], !no.contains(value.lowercased()) else { continue }
            // A flag with a value is wrong usage, and told as any other.
            merged.append(yes.contains(value.lowercased()) ? "--\(name)" : "--\(name)=\(value)")
        }
        return merged
    }

    /// Of no use to a share in a room elsewhere, and set for `serve` then.
    private static func isOfOwnServer(_ name: String) -> Bool { name == "allow-host" || name == "allow-origin" }

    private static func split(_ value: String, of name: String) -> [String] {
        guard repeatable.contains(name) else { return [value] }
        guard name == "turn" else { return value.split(separator: ",").map(String.init) }
        // A password may have commas: one that parts two servers has a scheme behind it, or nothing.
        var servers: [String] = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let server = part.drop(while: \.isWhitespace)
            if servers.isEmpty || TURNAddress.hasScheme(server) {
                servers.append(String(server))
            } else {
                servers[servers.endIndex - 1] += ",\(part)"
            }
        }
        for index in servers.indices {
            while servers[index].last == "," { servers[index].removeLast() }
        }
        return servers.filter { !$0.isEmpty }
    }

    /// Not variables that are another command's, or of no use beside what is on the command line; `merged` has what was
    /// taken from the environment before as well.
    private static func fits(
        _ name: String, _ value: String, _ command: any ParsableCommand.Type, _ arguments: [String], _ merged: [String]
    ) -> Bool {
        let sound = self.value(of: "audio", in: arguments)
        switch name {
        // `host` is told which sound, `view` where to put it.
        case "audio" where command == ViewCommand.self:
            return SoundChoice.Choice(rawValue: value) == nil && self.value(of: "container", in: arguments) != "mkv"
        case "audio": return !AudioFile.isKnown(value)
        // There `view` has the video.
        case "stats-json" where command == ViewCommand.self: return value != "-"
        case "container": return sound == nil
        case "audio-bitrate":
            return self.value(of: "audio", in: merged) != nil || self.value(of: "container", in: merged) == "mkv"
        case "turn-user", "turn-password", "turn-secret": return !values(of: "turn", in: merged).isEmpty
        case "turn-ca": return ICEServerOptions.areSecure(values(of: "turn", in: merged))
        case "mic": return sound == nil || sound == "mic" || sound == "both"
        case "system": return sound == nil || sound == "system" || sound == "both"
        case "mic-gain": return shares("mic", unlessTold: self.value(of: "mic", in: merged) != nil, merged)
        case "system-gain":
            let isDefault = self.value(of: "mic", in: merged) == nil || self.value(of: "system", in: merged) != nil
            return shares("system", unlessTold: isDefault, merged)
        default: return true
        }
    }

    /// Whether that kind of sound is shared; without `--audio` that goes by what else is given.
    private static func shares(_ kind: String, unlessTold isDefault: Bool, _ arguments: [String]) -> Bool {
        value(of: "audio", in: arguments).map { $0 == kind || $0 == "both" } ?? isDefault
    }

    private static func value(of option: String, in arguments: [String]) -> String? {
        values(of: option, in: arguments).first
    }

    private static func values(of option: String, in arguments: [String]) -> [String] {
        arguments.indices.filter { optionName(arguments[$0]) == option }.compactMap { index in
            if let equals = arguments[index].firstIndex(of: "=") {
                return String(arguments[index][arguments[index].index(after: equals)...])
            }
            return arguments[index...].dropFirst().first
        }
    }

    private static func variable(_ option: String) -> String {
        "SCREENSHARE_" + option.uppercased().replacing("-", with: "_")
    }

    private static func optionName(_ argument: String) -> String? {
        guard argument.hasPrefix("--"), argument.count > 2 else { return nil }
        return String(argument.dropFirst(2).prefix { $0 != "=" })
    }
}
