import Glibc

/// What a machine that may have sound can be told by, without asking its devices: a sound server's socket or address, a
/// sound card, a configuration of ALSA's.
struct SoundSigns {
    /// Of the environment.
    private let variable: (String) -> String?
    /// All paths begin there.
    private let root: String

    /// - Parameter root: another folder than the machine's own, for tests.
    init(root: String = "", _ variable: @escaping (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        self.root = root
        self.variable = variable
    }

    var areThere: Bool {
        variable("PULSE_SERVER") != nil || variable("ALSA_CONFIG_PATH") != nil
            || files.contains { access(root + $0, F_OK) == 0 }
            || clientFiles.contains { parts(of: root + $0).contains(where: Self.namesServer) }
    }

    private var home: String { variable("HOME") ?? "" }
    private var settings: String { variable("XDG_CONFIG_HOME") ?? "\(home)/.config" }

    private var files: [String] {
        let runtime = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
        let pulse = variable("PULSE_RUNTIME_PATH") ?? "\(runtime)/pulse"
        return [
            "\(pulse)/native", "/run/pulse/native", "/dev/snd", "/etc/asound.conf", "\(home)/.asoundrc",
            "\(settings)/alsa/asoundrc",
        ]
    }

    /// What libpulse reads (pulse-client.conf(5)). Its package brings one that names no server.
    private var clientFiles: [String] {
        let usual = ["\(settings)/pulse/client.conf", "\(home)/.pulse/client.conf", "/etc/pulse/client.conf"]
        return (variable("PULSE_CLIENTCONFIG").map { [$0] } ?? []) + usual
    }

    /// A file and those in the folder beside it.
    private func parts(of path: String) -> [String] {
        var parts = [path]
        guard let folder = opendir("\(path).d") else { return parts }
        defer { closedir(folder) }
        for _ in 0..<SoundSignsLimits.parts {
            guard let entry = readdir(folder) else { break }
            // In place: an entry is no longer than its name, whatever its type says.
            let name = String(cString: UnsafeRawPointer(entry).advanced(by: Self.nameOffset).assumingMemoryBound(to: CChar.self))
            if name.hasSuffix(".conf") { parts.append("\(path).d/\(name)") }
        }
        return parts
    }

    private static func namesServer(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: SoundSignsLimits.longestFile)
        let count = read(descriptor, &bytes, SoundSignsLimits.longestFile)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.contains { line in
            let words = line.filter { !$0.isWhitespace }
            return words.hasPrefix(key) && words != key
        }
    }

    private static let key = "default-server="
    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
}

private enum SoundSignsLimits {
    /// Of a configuration, in bytes; the one that comes with libpulse has 1300.
    static let longestFile = 1 << 14
    /// Entries of the folder that one may consist of.
    static let parts = 100
}
