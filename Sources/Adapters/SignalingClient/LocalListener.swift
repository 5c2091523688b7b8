import Glibc

/// Who listens at a port of this machine: another user's server at the usual port would be handed the screen.
package enum LocalListener {
    /// Whether whoever listens at the port, at whatever address, is this user or root.
    ///
    /// - Parameter tables: `/proc/net/tcp` and `tcp6` (proc(5)).
    package static func isTrusted(port: Int, user: UInt32 = geteuid(), tables: [String] = systemTables()) -> Bool {
        let found = listeners(at: port, in: tables)
        return !found.isEmpty && found.allSatisfy { $0.owner == user || $0.owner == 0 }
    }

    /// Whether all who listen at the port, whoever they are, are reached from this machine alone.
    package static func isOnLoopback(port: Int, tables: [String] = systemTables()) -> Bool {
        !listeners(at: port, in: tables).isEmpty && !isBeyondLoopback(port: port, tables: tables)
    }

    /// Whether some who listen at the port are reached from other machines.
    package static func isBeyondLoopback(port: Int, tables: [String] = systemTables()) -> Bool {
        listeners(at: port, in: tables).contains { !loopback.contains($0.address) }
    }

    /// Whether they are this user's besides.
    package static func isOwnOnLoopback(
        port: Int, user: UInt32 = geteuid(), tables: [String] = systemTables()
    ) -> Bool {
        isOnLoopback(port: port, tables: tables) && listeners(at: port, in: tables).allSatisfy { $0.owner == user }
    }

    /// 127.0.0.1, ::1 and ::ffff:127.0.0.1, in words of 32 bits as this machine has them. The last is what getaddrinfo(3)
    /// makes of the first where there is no IPv4 beyond loopback.
    private static let loopback: Set<Substring> = [
        "0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F",
    ]

    static func systemTables() -> [String] {
        ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(contents)
    }

    /// In one piece after another: such a file has no size.
    private static func contents(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece.prefix(count)
        }
    }

    private static func listeners(at port: Int, in tables: [String]) -> [(address: Substring, owner: UInt32)] {
        tables.flatMap { table in table.split(separator: "\n").dropFirst().compactMap { listener($0, port) } }
    }

    /// `sl local_address rem_address st queues timer retrnsmt uid …`, in hexadecimal but for the last.
    private static func listener(_ line: Substring, _ port: Int) -> (address: Substring, owner: UInt32)? {
        let fields = line.split(separator: " ")
        guard fields.count > 7, fields[3] == listening, let owner = UInt32(fields[7]) else { return nil }
        let place = fields[1].split(separator: ":")
        guard place.count == 2, Int(place[1], radix: 16) == port else { return nil }
        return (place[0], owner)
    }

    /// TCP_LISTEN.
    private static let listening = "0A"
}
