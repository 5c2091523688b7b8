import Datagrams
import ICE
import Timebase

/// A TURN server as a hub uses it.
package struct RelayServer: Sendable {
    package var uri: ICEServerURI
    /// What the name stands for, one of each family: asked in turn, until one answers.
    package private(set) var addresses: [TransportAddress]
    package var credentials: RelayCredentials
    /// Where one of them has sent us (RFC 8489 § 10), and whoever did so of late, the last of them then.
    private var alternate: TransportAddress?
    private var redirecting: [TransportAddress] = []
    private var redirectedAt: Instant?
    /// A file of certificates (PEM) that a server's may be signed with, in place of the system's; for TLS.
    package var trustedCertificates: String?

    package init(
        uri: ICEServerURI, addresses: [TransportAddress], credentials: RelayCredentials, trustedCertificates: String? = nil
    ) {
        self.uri = uri
        self.addresses = addresses
        self.credentials = credentials
        self.trustedCertificates = trustedCertificates
    }

    /// The one that is asked; nil where the name stands for none.
    package var address: TransportAddress? { alternate ?? addresses.first }

    mutating func turnToNextAddress() {
        leaveAlternate()
        addresses = Array(addresses.dropFirst() + addresses.prefix(1))
    }

    /// Turns to the server that the present one names; credentials, transport and the name that its certificate must have
    /// stay.
    /// - Returns: false where it was asked already, or enough others were.
    mutating func redirect(to other: TransportAddress, at now: Instant) -> Bool {
        // That an address was had in between says nothing: two servers could send us to and fro.
        if let redirectedAt, now - redirectedAt >= Limits.memoryOfRedirections { redirecting = [] }
        guard let address, redirecting.count < Limits.redirections, other != address, !redirecting.contains(other) else {
            return false
        }
        redirecting.append(address)
        redirectedAt = now
        alternate = other
        return true
    }

    /// Back to the server that was named to us.
    mutating func leaveAlternate() { alternate = nil }

    /// The name was looked up again: it may stand for others by now, of which the family stays whose turn it is. Where nobody
    /// knows it, it stands for what it did.
    mutating func found(_ new: [TransportAddress]) {
        guard !new.isEmpty, Set(new) != Set(addresses) else { return }
        leaveAlternate()
        redirecting = []
        let isIPv6 = addresses.first?.ip.isIPv6
        let turn = new.firstIndex { $0.ip.isIPv6 == isIPv6 } ?? 0
        addresses = Array(new[turn...] + new[..<turn])
    }
}

/// What a TURN server knows us by. Says nothing of itself in logs.
package enum RelayCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    case password(TURNCredentials)
    /// Shared with the server; credentials are made of it that lapse.
    case secret(String)

    func make(unixTime: Int64, with authenticator: any MessageAuthenticator) -> TURNCredentials? {
        switch self {
        case .password(let credentials): credentials
        case .secret(let secret):
            // The same for an hour: who is started again can delete what its last run left at the server.
            .timeLimited(
                secret: secret, name: "", unixTime: unixTime - unixTime % Limits.credentialStep,
                lifetime: Limits.credentialSeconds, with: authenticator)
        }
    }

    package var description: String { "credentials" }
    package var debugDescription: String { description }
}

/// What becomes of a TURN server, told when it changes.
package enum RelayEvent: Sendable {
    /// It relays for us; `isAgain` after a failure that was told.
    case allocated(ICEServerURI, isAgain: Bool)
    /// It does not, or no longer; it is tried again, unless that would be in vain.
    case failed(ICEServerURI, RelayFailure)
}

extension RelayServer {
    /// Those of these servers that are asked, besides others that are asked already: each once. Where there are more than
    /// places, one of each kind comes before a second of any: what a network lets out is of one kind.
    static func selection(of servers: [RelayServer], besides asked: [RelayServer]) -> [RelayServer] {
        var others: [RelayServer] = []
        for server in servers where !(asked + others).contains(where: { $0.isOne(with: server) }) {
            others.append(server)
        }
        let kinds = firstOfEachKind(others)
        let rest = others.indices.filter { !kinds.contains($0) }
        return (kinds + rest).prefix(Limits.relays - asked.count).sorted().map { others[$0] }
    }

    /// Over UDP, TCP and TLS; of the last the one at HTTPS's port, which passes where nothing else does.
    private static func firstOfEachKind(_ servers: [RelayServer]) -> [Int] {
        let udp = servers.firstIndex { $0.uri.transport == .udp }
        let tcp = servers.firstIndex { $0.uri.transport == .tcp && !$0.uri.isSecure }
        let overTLS = servers.indices.filter { servers[$0].uri.transport == .tcp && servers[$0].uri.isSecure }
        let tls = overTLS.first { servers[$0].uri.port == Limits.httpsPort } ?? overTLS.first
        return [udp, tcp, tls].compactMap { $0 }
    }

    /// Two names or forms of one server over UDP: from our one socket it takes both for one client, whose second allocation
    /// would take the first away.
    func isOne(with other: RelayServer) -> Bool {
        uri.transport == .udp && other.uri.transport == .udp && addresses.contains { other.addresses.contains($0) }
    }

    /// Where the certificates are to be.
    var place: String { trustedCertificates.map { ": \($0)" } ?? "" }
}

/// Why a TURN server does not relay for us.
package enum RelayFailure: Error, Hashable, Sendable {
    case turn(TURNFailure)
    /// No connection, in the system's words.
    case unreachable(String)
    /// Its certificate is not to be trusted, or not for this name.
    case untrusted
    /// None of our sockets can reach it.
    case noLocalAddress
    /// Its certificates can't be read, or this machine lacks a digest.
    case unusable(String)

    /// The user name, the password or the secret is wrong.
    package var isRefusal: Bool {
        switch self {
        case .turn(let failure):
            failure == .credentialsRejected || failure == .wrongCredentials || failure == .notAuthenticated
        case .unreachable, .untrusted, .noLocalAddress, .unusable: false
        }
    }
}
