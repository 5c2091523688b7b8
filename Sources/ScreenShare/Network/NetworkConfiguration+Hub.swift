import Datagrams
import ICE
import NIOCore
import PeerCore
import PeerDriver
import SecureTransport

enum GatheringLimit {
    /// STUN's first retransmission comes after 0.5 s (RFC 8489 § 6.2.1); a server that is silent for longer is not waited
    /// for.
    static let time = Duration.seconds(1)
    /// Without a relay there is nothing to offer: TCP, TLS and an allocation take five round trips.
    static let relayTime = Duration.seconds(5)
    /// A name server is asked three times within this.
    static let names = Duration.seconds(15)

    /// What a name stands for, or nil where that takes longer, or is not waited for any more.
    static func resolve<Found: Sendable>(_ lookUp: @escaping @Sendable () async -> Found?) async -> Found? {
        await Deadline.result(within: names, of: lookUp) ?? nil
    }
}

extension NetworkConfiguration {
    /// What the hub needs, with names resolved and addresses checked.
    /// - Parameter tcp: whether TCP connections are to be taken or made.
    func hubConfiguration(
        tcp: TCPType, onEvent: @escaping @Sendable (PeerID, LaneKey?, PeerEvent) -> Void
    ) async throws(ShareError) -> HubConfiguration {
        var hub = sockets(at: try localAddresses(), port: udpPort, onEvent: onEvent)
        for server in askedSTUNServers {
            guard let found = await GatheringLimit.resolve({ await STUNServer.resolve(server) }) else {
                throw .network("can't resolve the STUN server \"\(server)\" (stun:host[:port])")
            }
            hub.stunServers.append(found)
        }
        hub.tcp = usesTCP ? tcp : nil
        hub.marksDatagrams = marksPackets
        for server in turnServers {
            guard let relay = await server.resolve() else {
                throw .network("can't resolve the TURN server \"\(server.url)\"")
            }
            hub.turnServers.append(relay)
        }
        hub.transportPolicy = relayOnly ? .relayOnly : .all
        return hub
    }

    /// A hub that asks no server.
    func sockets(
        at addresses: [IPAddress], port: UInt16,
        onEvent: @escaping @Sendable (PeerID, LaneKey?, PeerEvent) -> Void = { _, _, _ in }
    ) -> HubConfiguration {
        var hub = HubConfiguration(
            addresses: addresses, port: port, stunServers: [], makeSecurity: { try TransportSecurity() },
            makeAuthenticator: { OpenSSLAuthenticator() }, onEvent: onEvent)
        hub.followsAddresses = interfaces.isEmpty
        hub.expendableAddresses = Set(interfaces.filter { IPAddress($0) == nil }.flatMap { Self.addresses(of: $0) })
            .subtracting(interfaces.compactMap { IPAddress($0) })
        return hub
    }

    /// None where what they tell would be told to nobody.
    var askedSTUNServers: [String] { relayOnly ? [] : stunServers }

    /// Those that were asked for, or all.
    func localAddresses() throws(ShareError) -> [IPAddress] {
        var chosen: [IPAddress] = []
        for text in interfaces {
            let found = Self.addresses(of: text)
            if found.isEmpty { throw .network("\"\(text)\" is neither an IP address nor an interface that has one") }
            chosen += found.filter { !chosen.contains($0) }
        }
        do { return try LocalAddresses.select(chosen) } catch {
            throw .network("this machine's addresses can't be read: \(error)")
        }
    }
}

extension NetworkConfiguration {
    /// Whether `interfaces` can hold this text: an IP address, or an interface of this machine's that has one now.
    package static func isInterface(_ text: String) -> Bool { !addresses(of: text).isEmpty }

    fileprivate static func addresses(of interface: String) -> [IPAddress] {
        IPAddress(interface).map { [$0] } ?? (try? LocalAddresses.of(interface: interface)) ?? []
    }
}

extension TURNServer {
    /// Nil where the name is unknown.
    func resolve() async -> RelayServer? {
        guard let addresses = await GatheringLimit.resolve({ [uri] in await uri.resolve() }), !addresses.isEmpty,
            let credentials = relayCredentials
        else { return nil }
        return RelayServer(
            uri: uri, addresses: addresses, credentials: credentials, trustedCertificates: trustedCertificates)
    }
}

extension PeerHub {
    /// Opens the sockets and gives the servers their time to answer; closed where that can't be.
    /// - Throws: `.forbidden` where a TURN server refuses us: whoever names one wants to know.
    func open(_ network: NetworkConfiguration) async throws(ShareError) {
        do throws(HubError) {
            try await open()
        } catch {
            await close()
            throw error.shareError
        }
        let needsRelay = network.relayOnly && !network.turnServers.isEmpty
        await gather(atMost: needsRelay ? GatheringLimit.relayTime : GatheringLimit.time)
        guard let refusal = relayFailures().first(where: { $0.failure.isRefusal }) else { return }
        await close()
        throw .forbidden(refusal.failure.text(of: refusal.server))
    }
}
