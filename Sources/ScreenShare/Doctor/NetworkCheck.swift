import Datagrams
import ICE
import NIOCore
import NIOPosix
import PeerDriver
import Timebase

/// Opens the sockets of a share, and asks the STUN and TURN servers from them.
struct NetworkCheck {
    private let network: NetworkConfiguration

    init(_ network: NetworkConfiguration) {
        self.network = network
    }

    func run() async -> NetworkFacts {
        var facts = NetworkFacts()
        facts.port = network.udpPort
        facts.relayOnly = network.relayOnly
        do throws(ShareError) { facts.addresses = try network.localAddresses() } catch {
            facts.addressFailure = error.description
            return facts
        }
        facts.foreignAddresses = facts.addresses.filter { !LocalAddresses.has($0) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        if let hub = await open(&facts, on: group.next()) {
            facts.sendBuffer = await hub.sendBuffer
            await ask(hub, &facts)
            await hub.close()
        } else {
            facts.lacksSockets = true
        }
        try? await group.shutdownGracefully()
        return facts
    }

    // MARK: Sockets

    /// The hub of a share, with its port, or else with any: the rest can be looked at all the same.
    private func open(_ facts: inout NetworkFacts, on eventLoop: any EventLoop) async -> PeerHub? {
        do throws(HubError) {
            return try await open(network.udpPort, facts.addresses, eventLoop)
        } catch {
            facts.portFailure = error.shareError.description
        }
        if network.udpPort == 0 { return nil }
        return try? await open(0, facts.addresses, eventLoop)
    }

    private func open(
        _ port: UInt16, _ addresses: [IPAddress], _ eventLoop: any EventLoop
    ) async throws(HubError) -> PeerHub {
        let hub = PeerHub(network.sockets(at: addresses, port: port), eventLoop: eventLoop)
        do throws(HubError) { try await hub.open() } catch {
            await hub.close()
            throw error
        }
        return hub
    }

    // MARK: Servers

    private func ask(_ hub: PeerHub, _ facts: inout NetworkFacts) async {
        async let stunAddresses = resolve(network.askedSTUNServers) { await STUNServer.resolve($0)?.addresses }
        async let relayAddresses = resolve(network.turnServers) { await $0.resolve() }
        let (stun, relays) = await (stunAddresses, relayAddresses)
        // A TURN server tells of the NAT as a STUN server does (RFC 8656 § 2.1).
        let others = network.relayOnly ? [] : relays.compactMap { $0 }.filter { $0.uri.transport == .udp }.flatMap(\.addresses)
        await hub.relay(by: relays.compactMap { $0 })
        async let allocated: Void = hub.gather(atMost: DoctorLimits.relays)
        let probes = await hub.probeMapping(by: stun.compactMap { $0 }.flatMap { $0 } + others, atMost: DoctorLimits.mapping)
        await allocated
        facts.stunServers = zip(network.askedSTUNServers, stun).map { url, addresses in
            .init(url: url, outcome: Self.outcome(of: addresses ?? [], probes))
        }
        var results = await hub.relayResults(of: relays.compactMap { $0 })[...]
        facts.relayServers = zip(network.turnServers, relays).map { server, found in
            .init(uri: server.uri, outcome: found == nil ? .unknown : Self.outcome(of: results.popFirst()))
        }
        facts.mappings = probes.sorted { "\($0.base)" < "\($1.base)" }.map {
            .init(base: $0.base, kind: $0.mapping, isAnswered: $0.hasAnswer)
        }
    }

    /// Nil for what nobody knows in time.
    private func resolve<Server: Sendable, Found: Sendable>(
        _ servers: [Server], _ look: @escaping @Sendable (Server) async -> Found?
    ) async -> [Found?] {
        await servers.mapAtOnce { server -> Found? in
            await Deadline.result(within: DoctorLimits.names) { await look(server) } ?? nil
        }
    }

    private static func outcome(
        of addresses: [TransportAddress], _ probes: [MappingProbe]
    ) -> NetworkFacts.STUNServer.Outcome {
        if addresses.isEmpty { return .unknown }
        for server in addresses {
            for probe in probes {
                if let answer = probe.answer(of: server) {
                    return .answered(mapped: answer.mapped, base: probe.base, time: answer.time)
                }
            }
        }
        return .silent
    }

    private static func outcome(
        of result: (address: TransportAddress?, failure: RelayFailure?)?
    ) -> NetworkFacts.RelayServer.Outcome {
        if let address = result?.address { return .relays(address) }
        return result?.failure.map { .failed($0) } ?? .silent
    }
}
