import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

/// Something with addresses that takes and gives packets.
protocol Node: AnyObject {
    func owns(_ address: TransportAddress) -> Bool
    func receive(_ packet: Packet, at now: Instant) -> [Packet]
    /// When it wants to be woken.
    var due: Instant { get }
    func advance(to now: Instant) -> [Packet]
}

/// Packets between nodes in virtual time, one millisecond each way unless a test says otherwise.
final class Wire {
    private(set) var now = Instant.zero
    private let nodes: [any Node]
    private var flying: [(due: Instant, packet: Packet)] = []
    private(set) var log: [(at: Instant, packet: Packet)] = []
    /// Changed only while nothing is on its way.
    var delay = Duration.milliseconds(1)
    /// May change a packet, or drop it by nil.
    var tap: (Packet) -> Packet? = { $0 }

    init(_ nodes: any Node...) {
        self.nodes = nodes
    }

    func send(_ packets: [Packet]) {
        for packet in packets {
            log.append((now, packet))
            if let packet = tap(packet) { flying.append((now + delay, packet)) }
        }
    }

    func run(for duration: Duration) { run(until: now + duration) }

    func run(until end: Instant) {
        while true {
            let arrival = flying.first?.due ?? .distantFuture
            let wake = nodes.map(\.due).min() ?? .distantFuture
            let next = min(arrival, wake)
            guard next <= end else {
                now = max(now, end)
                return
            }
            now = max(now, next)
            if arrival <= wake {
                let packet = flying.removeFirst().packet
                if let node = nodes.first(where: { $0.owns(packet.destination) }) {
                    send(node.receive(packet, at: now))
                }
            } else {
                for node in nodes where node.due <= now {
                    send(node.advance(to: now))
                    #expect(node.due > now, "what was just served wants to be woken at once: it would spin")
                }
            }
        }
    }
}

/// A socket that keeps what it gets.
final class Mailbox: Node {
    let address: TransportAddress
    private(set) var received: [(from: TransportAddress, bytes: [UInt8])] = []
    /// Sends everything back.
    var echoes = false

    init(_ address: TransportAddress) {
        self.address = address
    }

    func owns(_ address: TransportAddress) -> Bool { address == self.address }
    var due: Instant { .distantFuture }
    func advance(to now: Instant) -> [Packet] { [] }

    func receive(_ packet: Packet, at now: Instant) -> [Packet] {
        received.append((packet.source, packet.bytes))
        return echoes ? [Packet(bytes: packet.bytes, source: address, destination: packet.source)] : []
    }
}

/// A TURN client with its socket, and what it said.
final class RelayUser: Node {
    var client: TURNClient
    private(set) var events: [(at: Instant, event: TURNEvent)] = []
    private(set) var data: [(from: TransportAddress, bytes: [UInt8])] = []
    private(set) var receipts: [TURNReceipt] = []
    private(set) var due = Instant.zero
    private(set) var waitReason = TURNWaitReason.nothing

    init(_ client: TURNClient) {
        self.client = client
    }

    convenience init(
        seed: UInt64 = 1, transport: TURNTransport = .udp, username: String = "user", password: String = "pass",
        server: TransportAddress = RelayServer.standardAddress, base: TransportAddress = address("192.168.1.10", 5000),
        relaysIPv6: Bool = false, hasOtherAddress: Bool = false
    ) throws {
        let credentials = try #require(TURNCredentials(username: username, password: password))
        self.init(
            TURNClient(
                TURNConfiguration(
                    server: server, base: base, transport: transport, credentials: credentials, relaysIPv6: relaysIPv6,
                    hasOtherAddress: hasOtherAddress),
                authenticator: TestAuthenticator(), random: SeededGenerator(seed: seed), at: .zero))
    }

    var eventList: [TURNEvent] { events.map(\.event) }

    func owns(_ address: TransportAddress) -> Bool { address == client.configuration.base }

    func receive(_ packet: Packet, at now: Instant) -> [Packet] {
        let receipt = client.receive(
            packet.bytes.span.bytes, local: packet.destination, from: packet.source, at: now)
        receipts.append(receipt)
        if case .data(let peer, let range) = receipt { data.append((peer, Array(packet.bytes[range]))) }
        return drain(at: now)
    }

    func advance(to now: Instant) -> [Packet] {
        client.advance(to: now)
        return drain(at: now)
    }

    /// A change from outside, with what follows from it.
    func with(_ wire: Wire, _ body: (inout TURNClient, Instant) -> Void) {
        body(&client, wire.now)
        wire.send(drain(at: wire.now))
    }

    @discardableResult
    func send(_ payload: [UInt8], to peer: TransportAddress, on wire: Wire) -> TURNSending {
        var buffer: [UInt8] = []
        let result = client.wrap(payload, to: peer, into: &buffer, at: wire.now)
        #expect((result == .ready) == !buffer.isEmpty)
        if result == .ready { wire.send([packet(buffer)]) }
        wire.send(drain(at: wire.now))
        return result
    }

    private func packet(_ bytes: [UInt8]) -> Packet {
        Packet(bytes: bytes, source: client.configuration.base, destination: client.configuration.server)
    }

    func drain(at now: Instant) -> [Packet] {
        var packets: [Packet] = []
        while true {
            switch client.nextOutput() {
            case .transmit(let bytes): packets.append(packet(bytes))
            case .event(let event): events.append((now, event))
            case .wait(let until, let reason):
                (due, waitReason) = (until, reason)
                return packets
            }
        }
    }
}
