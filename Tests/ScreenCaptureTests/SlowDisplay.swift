import Glibc
import Synchronization
import SystemClock
import TestSupport
import Timebase

/// A display whose answers take a while, as over a long line: a port of TCP before a server's socket. For one connection.
final class SlowDisplay: Sendable {
    let display: String
    private let delay = Mutex(Duration.zero)

    init(_ server: VirtualScreen) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound, listen(listener, 1) == 0 else { throw Program.Failure("no port for a display") }
        // Display 0 is port 6000.
        display = "127.0.0.1:\(Int(UInt16(bigEndian: address.sin_port)) - 6000)"
        let path = "/tmp/.X11-unix/X\(server.display.dropFirst())"
        BlockingThread.start(name: "slow-display") { [self] in
            let client = accept(listener, nil, nil)
            close(listener)
            let server = Self.connect(to: path)
            pass(between: client, and: server)
            close(client)
            close(server)
        }
    }

    func delayAnswers(by time: Duration) { delay.withLock { $0 = time } }

    private static func connect(to path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return descriptor
    }

    /// Until one of both closes.
    private func pass(between client: Int32, and server: Int32) {
        var waiting: [(due: Instant, bytes: ArraySlice<UInt8>)] = []
        while true {
            var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = waiting.first.map { max(0, ($0.due - SystemClock.now()).nanoseconds / 1_000_000 + 1) } ?? -1
            guard poll(&entries, 2, Int32(clamping: left)) >= 0 else { return }
            if entries[0].revents != 0 {
                guard let bytes = Self.take(from: client), Self.give(bytes, to: server) else { return }
            }
            if entries[1].revents != 0 {
                guard let bytes = Self.take(from: server) else { return }
                waiting.append((SystemClock.now() + delay.withLock { $0 }, bytes))
            }
            while let first = waiting.first, first.due <= SystemClock.now() {
                waiting.removeFirst()
                guard Self.give(first.bytes, to: client) else { return }
            }
        }
    }

    private static func take(from descriptor: Int32) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? bytes[..<count] : nil
    }

    private static func give(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
