import Datagrams
import ICE
import NIOCore
import NIOPosix

extension ICEServerURI {
    /// Looks its name up, off the event loop; nil where nobody knows it.
    package func resolve() async -> TransportAddress? {
        if let address { return address }
        let found = try? await NIOThreadPool.singleton.runIfActive { [host, port] in
            try SocketAddress.makeAddressResolvingHost(host, port: Int(port))
        }
        return found.flatMap(TransportAddress.init)
    }
}

/// A STUN server's address from its URL (RFC 7064): `stun:host[:port]`.
package enum STUNServer {
    /// Nil where the URL is malformed or the name unknown.
    package static func resolve(_ url: String) async -> TransportAddress? {
        guard let uri = try? ICEServerURI(url), uri.kind == .stun, !uri.isSecure else { return nil }
        return await uri.resolve()
    }
}
