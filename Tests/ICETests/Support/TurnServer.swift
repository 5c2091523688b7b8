import Datagrams
import Glibc
import TestSupport
import Timebase

@testable import ICE

/// coturn's `turnserver` on a loopback port of its own, in a folder of its own; an installed service is not touched.
final class TurnServer {
    static let isInstalled = Program.path("turnserver") != nil
    /// Printed where the suite can't run: nothing was tested against a real relay then.
    static let skipNotice = "SKIPPED: NO test against a real TURN server ran (apt install coturn)"

    private(set) var address = TransportAddress(ip: .loopback, port: 0)
    private let folder: String
    private var process: Program?

    /// - Parameter options: user names and quotas.
    init(_ options: [String] = ["--user=user:pass", "--lt-cred-mech"]) throws {
        var template = Array("/tmp/turn-server-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Program.Failure("no temporary folder") }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
        // Another program may take the port in between.
        for _ in 0..<3 {
            try start(options)
            if try answers() { return }
            stop()
        }
        throw Program.Failure("turnserver did not start")
    }

    private func start(_ options: [String]) throws {
        address = try LoopbackSocket(.udp).address
        process = try Program(
            "turnserver",
            [
                "-n", "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", "--listening-port=\(address.port)",
                "--realm=example.org", "--allow-loopback-peers", "--no-tls", "--no-dtls", "--no-cli",
                "--relay-threads=1", "--log-file=stdout", "--pidfile=\(folder)/pid", "--userdb=\(folder)/users",
            ] + options)
    }

    deinit {
        process?.end(SIGKILL)
        _ = try? Program("rm", ["-rf", folder]).wait()
    }

    func stop() {
        process?.end(SIGKILL)
        process = nil
    }

    /// It listens once it has answered a Binding request.
    private func answers() throws -> Bool {
        let socket = try LoopbackSocket(.udp)
        let request = STUNMessage(.request, TransactionID(high: 1, low: 1)).encoded()
        for _ in 0..<250 {
            socket.send(request, to: address)
            if socket.receive(within: .milliseconds(20)) != nil { return true }
        }
        return false
    }
}

/// A socket on 127.0.0.1: for datagrams, or one connection.
final class LoopbackSocket {
    enum Kind {
        case udp
        case tcp(to: TransportAddress)
    }

    let address: TransportAddress
    let descriptor: Int32
    private let isStream: Bool

    init(_ kind: Kind) throws {
        switch kind {
        case .udp: isStream = false
        case .tcp: isStream = true
        }
        descriptor = Glibc.socket(AF_INET, Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue), 0)
        var name = Self.name(TransportAddress(ip: .loopback, port: 0))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        let descriptor = descriptor
        let isReady = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, size) == 0 && getsockname(descriptor, name, &length) == 0
            }
        }
        guard isReady else { throw Program.Failure("no socket") }
        address = TransportAddress(ip: .loopback, port: UInt16(bigEndian: name.sin_port))
        if case .tcp(let server) = kind { try connect(to: server) }
    }

    deinit { close(descriptor) }

    private func connect(to server: TransportAddress) throws {
        var name = Self.name(server)
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Program.Failure("no connection: error \(errno)") }
    }

    func send(_ bytes: [UInt8], to destination: TransportAddress) {
        if isStream {
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return
        }
        var name = Self.name(destination)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// What comes next, or nil after this long; empty at the end of a connection.
    func receive(within limit: Duration) -> (bytes: [UInt8], from: TransportAddress)? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(limit.inMilliseconds.rounded(.up))) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &bytes, bytes.count, 0, $0, &length)
            }
        }
        let ip = IPAddress.v4(UInt32(bigEndian: name.sin_addr.s_addr))
        let from = TransportAddress(ip: ip, port: UInt16(bigEndian: name.sin_port))
        return (Array(bytes.prefix(max(0, count))), from)
    }

    private static func name(_ address: TransportAddress) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        if case .v4(let bits) = address.ip { name.sin_addr.s_addr = bits.bigEndian }
        return name
    }
}
