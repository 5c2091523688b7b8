import Glibc

/// Takes the place of another process's signaling server on loopback once that has gone: a share in one of its rooms
/// would not be found any more.
struct StandInServer: Sendable {
    private static let period = Duration.seconds(1)
    /// Looks in a row that find nobody: one who starts anew is given this time.
    private static let patience = 5

    private let standingIn: Task<EmbeddedServer?, Never>

    /// - Parameter make: the server for that port; it is not to run yet.
    init(port: Int, _ make: @escaping @Sendable () -> EmbeddedServer) {
        standingIn = Task { await Self.takePlace(port, make) }
    }

    /// With the room; also of the server, if there is one by now.
    func stop() async {
        standingIn.cancel()
        await standingIn.value?.stop()
    }

    /// Nil where it was cancelled before there was need of it.
    private static func takePlace(_ port: Int, _ make: @Sendable () -> EmbeddedServer) async -> EmbeddedServer? {
        var misses = 0
        while (try? await Task.sleep(for: period)) != nil {
            misses = isFree(port) ? misses + 1 : 0
            if misses < patience { continue }
            misses = 0
            if let server = await started(make()) { return server }
        }
        return nil
    }

    /// Nil where somebody else was faster.
    private static func started(_ server: EmbeddedServer) async -> EmbeddedServer? {
        do {
            let place = try await server.start()
            Console.line("The signaling server at \(place.own) has gone; one in this process takes its place.")
            return server
        } catch {
            // Who only stopped waiting for it has not stopped it.
            await server.stop()
            return nil
        }
    }

    /// Whether nobody listens on loopback there. To bind without listening tells, by a few system calls, and keeps
    /// nobody out.
    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Connections that the other has left behind don't count.
        var isShared: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
