import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

/// One datagram on its way.
struct Packet {
    var bytes: [UInt8]
    var source: TransportAddress
    var destination: TransportAddress
}

/// A port-restricted NAT (RFC 4787: endpoint-independent mapping, address and port-dependent filtering).
final class NAT {
    let outside: IPAddress
    private var mappings: [TransportAddress: UInt16] = [:]
    private var permitted: [UInt16: Set<TransportAddress>] = [:]
    private var nextPort: UInt16

    init(_ outside: IPAddress, firstPort: UInt16 = 61_000) {
        self.outside = outside
        nextPort = firstPort
    }

    func outbound(_ packet: Packet) -> Packet {
        var packet = packet
        let port = mappings[packet.source] ?? nextPort
        if mappings[packet.source] == nil {
            mappings[packet.source] = port
            nextPort += 1
        }
        permitted[port, default: []].insert(packet.destination)
        packet.source = TransportAddress(ip: outside, port: port)
        return packet
    }

    /// Nil where nothing inside has sent to that address from that mapping.
    func inbound(_ packet: Packet) -> Packet? {
        guard permitted[packet.destination.port]?.contains(packet.source) == true,
            let inside = mappings.first(where: { $0.value == packet.destination.port })?.key
        else { return nil }
        var packet = packet
        packet.destination = inside
        return packet
    }

    /// The NAT forgets everything, as after a restart of the box.
    func rebind() {
        mappings = [:]
        permitted = [:]
    }
}

/// One agent with its sockets, and what it said.
final class Peer {
    let name: String
    var agent: ICEAgent
    var nat: NAT?
    var events: [(at: Instant, event: ICEEvent)] = []
    var sent: [(at: Instant, packet: Packet)] = []
    fileprivate(set) var wake = Instant.zero

    init(_ name: String, _ agent: ICEAgent, nat: NAT? = nil) {
        self.name = name
        self.agent = agent
        self.nat = nat
    }

    func time(of isIt: (ICEEvent) -> Bool) -> Instant? { events.first { isIt($0.event) }?.at }
    var validAt: Instant? { time { if case .validPair = $0 { true } else { false } } }
    var selectedAt: Instant? { time { if case .selectedPair = $0 { true } else { false } } }
    func count(_ event: ICEEvent) -> Int { events.count { $0.event == event } }
    func sentBytes(to address: TransportAddress) -> Int {
        sent.filter { $0.packet.destination == address }.map(\.packet.bytes.count).reduce(0, +)
    }
}

/// A network in virtual time: delay, jitter (which reorders), loss, NATs; everything from one seed.
final class World {
    private(set) var now = Instant.zero
    private(set) var peers: [Peer] = []
    var delay = Duration.milliseconds(1)
    var jitter = Duration.zero
    var loss = 0.0
    /// How often each packet arrives.
    var copies = 1
    /// May change a packet, or drop it by nil.
    var tap: (Packet) -> Packet? = { $0 }
    var random: SeededGenerator
    private var flying: [(due: Instant, order: Int, packet: Packet)] = []
    private var order = 0
    /// Every packet that reached nobody.
    private(set) var strays: [Packet] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    func add(_ peer: Peer) {
        peers.append(peer)
        drain(peer)
    }

    /// Changes an agent from outside, at the present time.
    @discardableResult
    func with<Result>(_ peer: Peer, _ body: (inout ICEAgent, Instant) -> Result) -> Result {
        defer { drain(peer) }
        return body(&peer.agent, now)
    }

    // MARK: Time

    func run(until end: Instant) { run(until: end) { false } }
    func run(for duration: Duration) { run(until: now + duration) }

    /// - Returns: whether `done` became true before `end`.
    @discardableResult
    func run(until end: Instant, or done: () -> Bool) -> Bool {
        while !done() {
            let arrival = flying.map(\.due).min() ?? .distantFuture
            let wake = peers.map(\.wake).min() ?? .distantFuture
            let next = min(arrival, wake)
            guard next <= end else {
                now = max(now, end)
                return done()
            }
            now = max(now, next)
            if arrival <= wake { deliver() } else { wakeAll() }
        }
        return true
    }

    private func wakeAll() {
        for peer in peers where peer.wake <= now {
            peer.agent.advance(to: now)
            drain(peer)
            #expect(peer.wake > now, "an agent that was just served wants to be woken at once: it would spin")
        }
    }

    // MARK: Packets

    func send(_ packet: Packet, behind nat: NAT? = nil) {
        var packet = packet
        if let nat, owner(of: packet.destination, behind: nat) == nil { packet = nat.outbound(packet) }
        guard let tapped = tap(packet), Double.random(in: 0..<1, using: &random) >= loss else { return }
        for _ in 0..<copies {
            let extra = jitter == .zero ? 0 : Int64.random(in: 0..<jitter.nanoseconds, using: &random)
            order += 1
            flying.append((now + delay + .nanoseconds(extra), order, tapped))
        }
    }

    private func deliver() {
        let ranks = flying.map { ($0.due, $0.order) }
        guard let index = ranks.indices.min(by: { ranks[$0] < ranks[$1] }) else { return }
        var packet = flying.remove(at: index).packet
        if let nat = peers.lazy.compactMap(\.nat).first(where: { $0.outside == packet.destination.ip }) {
            guard let inside = nat.inbound(packet) else { return strays.append(packet) }
            packet = inside
            guard let peer = owner(of: packet.destination, behind: nat) else { return strays.append(packet) }
            return receive(packet, by: peer)
        }
        let senderNAT = peers.first { $0.agent.localCandidates.contains { $0.base == packet.source } }?.nat
        let there = packet.destination
        guard let peer = owner(of: there, behind: nil) ?? owner(of: there, behind: senderNAT) else {
            return strays.append(packet)
        }
        receive(packet, by: peer)
    }

    private func receive(_ packet: Packet, by peer: Peer) {
        peer.agent.receive(packet.bytes, local: packet.destination, from: packet.source, at: now)
        drain(peer)
    }

    private func owner(of address: TransportAddress, behind nat: NAT?) -> Peer? {
        peers.first { $0.nat === nat && $0.agent.localCandidates.contains { $0.base == address } }
    }

    private func drain(_ peer: Peer) {
        while true {
            switch peer.agent.nextOutput() {
            case .transmit(let bytes, let from, let to):
                let packet = Packet(bytes: bytes, source: from, destination: to)
                peer.sent.append((now, packet))
                send(packet, behind: peer.nat)
            case .event(let event): peer.events.append((now, event))
            case .wait(let until, _):
                peer.wake = until
                return
            }
        }
    }
}
