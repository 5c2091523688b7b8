import Datagrams
import ICE

/// A STUN server as a hub uses it.
package struct STUNServer: Sendable {
    package let uri: ICEServerURI
    /// What the name stands for, one of each family.
    package private(set) var addresses: [TransportAddress]

    package init(uri: ICEServerURI, addresses: [TransportAddress]) {
        self.uri = uri
        self.addresses = addresses
    }

    /// Of a URL (RFC 7064): `stun:host[:port]`; nil where it is no STUN server's.
    package static func uri(_ url: String) -> ICEServerURI? {
        (try? ICEServerURI(url)).flatMap { $0.kind == .stun && !$0.isSecure ? $0 : nil }
    }

    /// Nil where the URL is malformed or the name unknown.
    package static func resolve(_ url: String) async -> STUNServer? {
        guard let uri = Self.uri(url) else { return nil }
        let addresses = await uri.resolve()
        return addresses.isEmpty ? nil : STUNServer(uri: uri, addresses: addresses)
    }

    /// The name was looked up again. Where nobody knows it, it stands for what it did.
    /// - Returns: whether it stands for others by now.
    mutating func found(_ new: [TransportAddress]) -> Bool {
        guard !new.isEmpty, Set(new) != Set(addresses) else { return false }
        addresses = new
        return true
    }
}
