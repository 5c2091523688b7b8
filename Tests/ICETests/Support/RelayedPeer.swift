import Datagrams
import TestSupport
import Timebase

@testable import ICE

/// An agent with one socket and, if it has one, a relay: what a driver does with both.
final class RelayedPeer: Node {
    let socket: TransportAddress
    var agent: ICEAgent
    var client: TURNClient?
    private let usesSocket: Bool
    private(set) var events: [ICEEvent] = []
    private(set) var relayEvents: [TURNEvent] = []
    private(set) var media: [[UInt8]] = []
    private(set) var due = Instant.zero
    private var agentDue = Instant.zero
    private var clientDue = Instant.distantFuture

    init(
        _ role: ICERole, _ socket: TransportAddress, relay: TURNConfiguration? = nil,
        policy: ICETransportPolicy = .all, seed: UInt64
    ) {
        self.socket = socket
        usesSocket = policy == .all
        agent = ICEAgent(
            role: role, localCandidates: [.host(socket)], policy: policy, authenticator: TestAuthenticator(),
            random: SeededGenerator(seed: seed), at: .zero)
        client = relay.map {
            TURNClient($0, authenticator: TestAuthenticator(), random: SeededGenerator(seed: seed + 100), at: .zero)
        }
    }

    func owns(_ address: TransportAddress) -> Bool { address == socket }

    func with(_ wire: Wire, _ body: (inout ICEAgent, Instant) -> Void) {
        body(&agent, wire.now)
        wire.send(drain(at: wire.now))
    }

    /// Sends media where the agent says.
    func sendMedia(_ bytes: [UInt8], on wire: Wire) {
        guard let path = agent.sendAddresses else { return }
        var packets: [Packet] = []
        transmit(bytes, from: path.local, to: path.remote, at: wire.now, &packets)
        wire.send(packets + drain(at: wire.now))
    }

    func receive(_ packet: Packet, at now: Instant) -> [Packet] {
        let span = packet.bytes.span.bytes
        switch client?.receive(span, local: packet.destination, from: packet.source, at: now) ?? .notOurs {
        case .handled: break
        case .data(let peer, let range):
            if let relayed = client?.relayedAddress { take(Array(packet.bytes[range]), at: relayed, from: peer, now) }
        case .notOurs: take(packet.bytes, at: packet.destination, from: packet.source, now)
        }
        return drain(at: now)
    }

    private func take(_ bytes: [UInt8], at local: TransportAddress, from remote: TransportAddress, _ now: Instant) {
        if bytes.first.map({ $0 <= 3 }) == true {
            agent.receive(bytes, local: local, from: remote, at: now)
        } else {
            media.append(bytes)
        }
    }

    func advance(to now: Instant) -> [Packet] {
        if agentDue <= now { agent.advance(to: now) }
        if clientDue <= now { client?.advance(to: now) }
        return drain(at: now)
    }

    private func transmit(
        _ bytes: [UInt8], from: TransportAddress, to: TransportAddress, at now: Instant, _ packets: inout [Packet]
    ) {
        if from == socket { return packets.append(Packet(bytes: bytes, source: from, destination: to)) }
        guard let configuration = client?.configuration, from == client?.relayedAddress else { return }
        var wrapped: [UInt8] = []
        if client?.wrap(bytes, to: to, into: &wrapped, at: now) == .ready {
            packets.append(Packet(bytes: wrapped, source: configuration.base, destination: configuration.server))
        }
    }

    /// The relay after the agent: a check may have made it ask for a permission.
    private func drain(at now: Instant) -> [Packet] {
        var packets: [Packet] = []
        drainAgent(at: now, &packets)
        drainRelay(at: now, &packets)
        drainAgent(at: now, &packets)
        due = min(agentDue, clientDue)
        return packets
    }

    private func drainAgent(at now: Instant, _ packets: inout [Packet]) {
        while true {
            switch agent.nextOutput() {
            case .transmit(let bytes, let from, let to): transmit(bytes, from: from, to: to, at: now, &packets)
            case .event(let event): events.append(event)
            case .wait(let until, _):
                agentDue = until
                return
            }
        }
    }

    private func drainRelay(at now: Instant, _ packets: inout [Packet]) {
        while let configuration = client?.configuration, let output = client?.nextOutput() {
            switch output {
            case .transmit(let bytes):
                packets.append(Packet(bytes: bytes, source: configuration.base, destination: configuration.server))
            case .event(let event):
                relayEvents.append(event)
                follow(event, configuration, at: now)
            case .wait(let until, _):
                clientDue = until
                return
            }
        }
    }

    private func follow(_ event: TURNEvent, _ configuration: TURNConfiguration, at now: Instant) {
        switch event {
        case .allocated(let relayed, let mapped):
            agent.addLocalCandidate(
                .relayed(relayed, mapped: usesSocket ? mapped : nil, server: configuration.server.ip), at: now)
        case .lost:
            for candidate in agent.localCandidates where candidate.type == .relayed {
                if let base = candidate.base { agent.removeLocalCandidates(at: base, at: now) }
            }
        case .failed, .refusedPeer, .closed: break
        }
    }
}
