import Datagrams
import Glibc
import ICE
import NIOCore
import NIOPosix
import NIOSSL

/// The way to a TURN server over TCP, or TLS over it.
enum RelayConnection {
    /// Connects; everything after that is told on the event loop.
    static func open(
        to server: RelayServer, at address: TransportAddress, on eventLoop: any EventLoop,
        tell: @escaping TCPSocket.Listener
    ) throws -> EventLoopFuture<any Channel> {
        let tls = try server.uri.isSecure ? NIOSSLContext(configuration: configuration(server)) : nil
        let name = server.uri.address == nil ? server.uri.host : nil
        let bootstrap = ClientBootstrap(group: eventLoop).forMedia()
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // Without a name, the certificate must be for the address.
                    if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name)) }
                    try pipeline.addHandler(ConnectionHandler { _ in tell })
                }
            }
        return bootstrap.connect(to: try address.socketAddress())
    }

    /// Certificate and name are checked; TLS 1.2 at least (RFC 9325 § 3.1.1).
    private static func configuration(_ server: RelayServer) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file = server.trustedCertificates { configuration.trustRoots = .file(file) }
        return configuration
    }

    /// What an error says of the server.
    static func failure(_ error: any Error) -> RelayFailure {
        switch error {
        case let error as NIOSSLError:
            // BoringSSL's reason is to be had as text alone.
            return "\(error)".contains("CERTIFICATE_VERIFY_FAILED") || error == .unableToValidateCertificate
                ? .untrusted : .unreachable("TLS failed")
        case is NIOSSLExtraError: return .untrusted
        case is ChannelError: return .unreachable("it did not answer in time")
        case let error as NIOConnectionError:
            return error.connectionErrors.first.map { failure($0.error) } ?? .unreachable("no connection")
        case let error as IOError: return .unreachable(words(error.errnoCode))
        default: return .unreachable("no connection")
        }
    }

    private static func words(_ code: CInt) -> String { String(cString: strerror(code)).lowercased() }
}
