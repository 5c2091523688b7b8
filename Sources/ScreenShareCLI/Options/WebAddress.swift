import ArgumentParser
import ScreenShare

/// `http://…` or `https://…`.
enum WebAddress {
    /// - Parameter isServer: whether it names a server, not a page: below a path the server's own addresses would not be
    ///   found.
    static func check(_ text: String, of option: String, isServer: Bool) throws {
        let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
        guard let scheme, text.count > scheme.count else {
            throw ValidationError("\(option) takes an address that begins with http:// or https://.")
        }
        // No request carries them (RFC 9110 § 4.2.4), and what is printed of an address is for everybody.
        guard !text.dropFirst(scheme.count).prefix(while: { !"/?#".contains($0) }).contains("@") else {
            throw ValidationError("\(option) takes an address without a user name or password; a token goes by --token.")
        }
        guard SignalingProbe.isAddress(text) else {
            throw ValidationError(
                "\(option) takes a host, and a port from 1 to 65535 where that is another than usual, such as "
                    + "https://meet.example.org:8443 or http://[::1]:8080.")
        }
        let path = text.dropFirst(scheme.count).drop { !"/?#".contains($0) }
        if isServer, !["", "/"].contains(path) {
            throw ValidationError("\(option) takes a server's address without a path, such as https://meet.example.org.")
        }
    }
}
