import ICE
import PeerDriver
import SecureTransport
import SystemClock

/// A TURN server (RFC 8656): it relays media between two who can't reach each other. What it relays stays encrypted.
public struct TURNServer: Hashable, Sendable {
    /// What the server knows its users by.
    @nonexhaustive public enum Credentials: Hashable, Sendable {
        /// Long-term credentials (RFC 8489 § 9.2); `viewerCredentials` gives the same.
        case password(username: String, password: String)
        /// Shared with the server (coturn's `static-auth-secret`): user names and passwords that lapse are made of it, for
        /// ourselves and each viewer.
        case sharedSecret(String)
    }

    /// `turn:host[:port][?transport=udp|tcp]`, or `turns:` for TLS over TCP (RFC 7065).
    public let url: String
    /// Checked for length, not at the server: whether it takes them, `ShareSession.start` tells.
    public let credentials: Credentials
    /// A file of certificates (PEM) that sign the server's, in place of the system's. With `turns:` the certificate and
    /// the name in it are always checked.
    public var trustedCertificates: String?
    let uri: ICEServerURI

    /// Looks nothing up and asks nobody.
    ///
    /// - Throws: `ShareError.invalid` where the URL is malformed, user name or password are empty or too long, or the
    ///   secret is empty.
    public init(url: String, credentials: Credentials) throws(ShareError) {
        do throws(ICEServerURIError) { uri = try ICEServerURI(url) } catch { throw .invalid(Self.words(error, url)) }
        guard uri.kind == .turn else { throw .invalid("\"\(url)\" is no TURN server (turn:host[:port])") }
        if uri.isSecure, uri.transport == .udp { throw .invalid("\"\(url)\": TLS goes over TCP, not UDP") }
        self.url = url
        self.credentials = credentials
        switch credentials {
        case .password(let username, let password):
            guard TURNCredentials(username: username, password: password) != nil else {
                throw .invalid("\(url): the user name or the password is empty or too long")
            }
        case .sharedSecret(let secret):
            guard !secret.isEmpty else { throw .invalid("\(url): the secret is empty") }
        }
    }

    private static func words(_ error: ICEServerURIError, _ url: String) -> String {
        switch error {
        case .unknownScheme: "\"\(url)\" is no TURN server (turn:host[:port] or turns:host[:port])"
        case .malformedHost: "\"\(url)\" has no host (turn:host[:port])"
        case .malformedPort: "\"\(url)\": the port is a number from 1 to 65535"
        case .malformedQuery: "\"\(url)\": only ?transport=udp or ?transport=tcp may follow"
        }
    }
}

extension TURNServer {
    /// Whether `trustedCertificates` can be this file: there are certificates in it.
    package static func areCertificates(in file: String) -> Bool { TrustedCertificates.canBeRead(file) }

    /// A user name and a password for somebody else, to be handed to one viewer: of a shared secret fresh ones, which
    /// lapse; otherwise our own. Nil where this machine's OpenSSL lacks an algorithm (MD5 in a FIPS configuration), or they
    /// would lapse in no second that there is.
    ///
    /// - Parameter lifetime: in whole seconds from now; of no matter to `.password`.
    public func viewerCredentials(lifetime: Duration = .seconds(12 * 3600)) -> ViewerCredentials? {
        switch credentials {
        case .password(let username, let password): return ViewerCredentials(username: username, password: password)
        case .sharedSecret(let secret):
            // Beyond, `components` traps.
            guard (.seconds(Int64.min)...(.seconds(Int64.max))).contains(lifetime) else { return nil }
            let made = OpenSSLAuthenticator().flatMap {
                TURNCredentials.timeLimited(
                    secret: secret, name: "viewer", unixTime: SystemClock.unixSeconds(),
                    lifetime: lifetime.components.seconds, with: $0)
            }
            return made.map { ViewerCredentials(username: $0.username, password: $0.password) }
        }
    }

    var relayCredentials: RelayCredentials? {
        switch credentials {
        case .password(let username, let password):
            TURNCredentials(username: username, password: password).map(RelayCredentials.password)
        case .sharedSecret(let secret): .secret(secret)
        }
    }
}

// Secrets stay out of logs.

extension TURNServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { url }
    public var debugDescription: String { url }
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

extension TURNServer.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .password: "user name and password"
        case .sharedSecret: "shared secret"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
