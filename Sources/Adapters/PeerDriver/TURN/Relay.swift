import Datagrams
import ICE
import NIOCore
import Timebase

/// A TURN server's client with its way to it: over the hub's own UDP socket, or a connection of its own.
final class Relay {
    var server: RelayServer
    /// Its place among the hub's.
    let index: Int
    /// One over UDP before one over TCP, and that before one over TLS; then as they are listed.
    let localPreference: UInt16
    /// Whether peers may learn our own address from the candidate.
    private let hidesAddress: Bool
    /// Nil over a stream, until that stands for the first time.
    var client: TURNClient?
    /// Nil over UDP, and while there is none.
    var connection: (any Channel)?
    var decoder = TURNStreamDecoder()
    /// Addresses of the server's that were asked in vain over UDP since one of them relayed, or all had their turn.
    var unanswered = 0
    /// Before another connection, where one came to nothing.
    var pauses = Backoff(Limits.reconnectPauses, scatter: Limits.reconnectScatter)
    var retry: Scheduled<Void>?
    /// When the last was begun, and its number: what an earlier one has to say counts no more.
    var triedAt: Instant?
    var connectionNumber = 0
    /// It was begun, or is about to be, because the network may be back.
    var isHastened = false
    /// When it wants to be woken.
    var due = Instant.distantFuture
    /// The relayed address while there is one: what transmits name as `from`.
    var address: TransportAddress?
    var credentialsMadeAt = Instant.zero
    /// What was told last; nil while it relays.
    var failure: RelayFailure?

    init(_ server: RelayServer, index: Int, hidesAddress: Bool) {
        self.server = server
        self.index = index
        self.hidesAddress = hidesAddress
        let rank = switch (server.uri.transport, server.uri.isSecure) {
        case (.udp, _): Limits.preferenceOverUDP
        case (.tcp, false): Limits.preferenceOverTCP
        case (.tcp, true): Limits.preferenceOverTLS
        }
        localPreference = rank - UInt16(clamping: min(index, Limits.relays))
    }

    /// It relays, or there is something to be said of why not.
    var hasResult: Bool { failure != nil || client?.hasResult == true }

    /// The relayed address; over UDP our own as the server sees it as well, where the socket can be reached there: not what
    /// something in between has made of it in the other family.
    var candidates: [Candidate] {
        guard let client, let relayed = client.relayedAddress, let mapped = client.mappedAddress else { return [] }
        let configuration = client.configuration
        var all = [
            Candidate.relayed(
                relayed, mapped: hidesAddress ? nil : mapped, server: configuration.server.ip,
                localPreference: localPreference)
        ]
        if configuration.transport == .udp, mapped != configuration.base, !hidesAddress,
            mapped.ip.isIPv6 == configuration.base.ip.isIPv6
        {
            all.append(.serverReflexive(mapped, base: configuration.base, server: configuration.server.ip))
        }
        return all
    }

    /// No more tries.
    /// - Returns: the connection to be closed.
    func disconnect() -> (any Channel)? {
        retry?.cancel()
        defer { connection = nil }
        return connection
    }
}
