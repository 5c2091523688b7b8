import Glibc

/// The X servers of this machine, by their sockets.
enum LocalDisplays {
    /// Names such as ":0", in order.
    static func names() -> [String] {
        guard let folder = opendir("/tmp/.X11-unix") else { return [] }
        defer { closedir(folder) }
        var numbers: [Int] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("X"), let number = Int(name.dropFirst()) { numbers.append(number) }
        }
        return numbers.sorted().map { ":\($0)" }
    }

    /// What a person who named no display, or a wrong one, wants to know.
    static func sentence() -> String {
        let names = names()
        return names.isEmpty
            ? "No X server runs on this machine." : "On this machine there is \(names.joined(separator: ", "))."
    }
}
