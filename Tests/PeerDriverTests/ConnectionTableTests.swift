import Datagrams
import ICE
import PeerCore
import Testing
import Timebase

@testable import PeerDriver

@Suite("TCP connections: bounds")
struct ConnectionTableTests {
    private static let listener = TransportAddress(ip: .v4(0x0A00_0002), port: 5002, transport: .tcp)
    private static let connector = TransportAddress(ip: .v4(0x0A00_0002), port: Candidate.discardPort, transport: .tcp)

    private func pair(from host: UInt32, _ port: Int) -> AddressPair {
        AddressPair(
            local: Self.listener,
            remote: TransportAddress(ip: .v4(0xC000_0200 + host), port: UInt16(port), transport: .tcp))
    }

    private func accept(_ pair: AddressPair, into table: inout ConnectionTable, at now: Instant = .zero) -> Bool {
        if let surplus = table.surplus(before: pair) { table.remove(surplus) }
        guard table.accepts(pair) else { return false }
        table.insert(TCPConnection(pair, serial: table.nextSerial(), channel: nil, owner: nil, at: now))
        return true
    }

    private func strangers(in table: ConnectionTable) -> Int { table.all.values.count { !$0.isAuthenticated } }

    @Test("one address has so many strangers, all together have so many; who came first makes room, and a peer never does")
    func strangers() {
        var table = ConnectionTable()
        for port in 1...Limits.strangersPerAddress { #expect(accept(pair(from: 1, port), into: &table)) }
        _ = table.authenticated(pair(from: 1, 1), by: PeerID(1), at: .zero)
        #expect(accept(pair(from: 1, 9000), into: &table))
        #expect(table[pair(from: 1, 2)] != nil, "there was room")
        #expect(accept(pair(from: 1, 9001), into: &table))
        #expect(table[pair(from: 1, 2)] == nil && table[pair(from: 1, 3)] != nil)
        #expect(strangers(in: table) == Limits.strangersPerAddress)
        for host in UInt32(2)...200 { #expect(accept(pair(from: host, 1), into: &table)) }
        #expect(strangers(in: table) == Limits.strangers)
        #expect(table[pair(from: 1, 1)] != nil)
    }

    @Test("whoever has a network full of addresses keeps nobody of another out")
    func networks() {
        func pair(_ network: UInt64, _ host: UInt64) -> AddressPair {
            let ip = IPAddress.v6(high: 0x2001_0DB8_0000_0000 + network, low: host)
            return AddressPair(local: Self.listener, remote: TransportAddress(ip: ip, port: 1, transport: .tcp))
        }
        var table = ConnectionTable()
        #expect(accept(pair(1, 1), into: &table))
        for host in UInt64(1)...1_000 { #expect(accept(pair(2, host), into: &table)) }
        #expect(accept(pair(3, 1), into: &table))
        for host in UInt64(2_000)...3_000 { #expect(accept(pair(2, host), into: &table)) }
        #expect(table[pair(1, 1)] != nil && table[pair(3, 1)] != nil)
        #expect(strangers(in: table) == Limits.strangers)
    }

    @Test("where peers have all other connections, a stranger makes room for the next")
    func strangerAmongPeers() {
        var table = ConnectionTable()
        for index in 1..<Limits.connections {
            let pair = pair(from: UInt32(index % 250), index)
            #expect(accept(pair, into: &table))
            _ = table.authenticated(pair, by: PeerID(UInt64(index)), at: .zero)
        }
        for port in 1...3 { #expect(accept(pair(from: 251, port), into: &table)) }
        #expect(table.all.count == Limits.connections && strangers(in: table) == 1)
    }

    @Test("there are never more connections than the limit")
    func all() {
        var table = ConnectionTable()
        for index in 0..<(2 * Limits.connections) {
            let pair = pair(from: UInt32(index % 250), 1 + index)
            if accept(pair, into: &table) { _ = table.authenticated(pair, by: PeerID(UInt64(index)), at: .zero) }
        }
        #expect(table.all.count == Limits.connections)
    }

    @Test("a peer with too many loses the one that was heard least recently")
    func perPeer() {
        var table = ConnectionTable()
        for port in 1...Limits.connectionsPerPeer {
            #expect(accept(pair(from: 1, port), into: &table))
            let now = Instant.zero + .seconds(port == 3 ? 0 : Int64(port))
            #expect(table.authenticated(pair(from: 1, port), by: PeerID(1), at: now) == nil)
        }
        #expect(accept(pair(from: 1, 9000), into: &table))
        let surplus = table.authenticated(pair(from: 1, 9000), by: PeerID(1), at: .zero + .seconds(60))
        #expect(surplus?.pair == pair(from: 1, 3))
    }

    @Test("a stranger has ten seconds, whatever it sends; a peer stays as long as it is heard")
    func deadlines() {
        var table = ConnectionTable()
        let (stranger, peer) = (pair(from: 1, 1), pair(from: 1, 2))
        for one in [stranger, peer] { #expect(accept(one, into: &table)) }
        _ = table.authenticated(peer, by: PeerID(1), at: .zero)
        for second in Int64(1)...9 {
            table[stranger]?.append([], at: .zero + .seconds(second))
            table[peer]?.append([], at: .zero + .seconds(second))
            #expect(table.expired(at: .zero + .seconds(second)).isEmpty)
        }
        #expect(table.due == Instant.zero + .seconds(10))
        let gone = table.expired(at: .zero + .seconds(10))
        #expect(gone.map(\.pair) == [stranger])
        for one in gone { table.remove(one) }
        #expect(table.due == Instant.zero + .seconds(9 + 60))
        #expect(table.expired(at: table.due).map(\.pair) == [peer])
    }

    @Test("a connection of ours that falls silent is given up while there is time for another")
    func silence() {
        let own = AddressPair(local: Self.connector, remote: pair(from: 1, 1).remote)
        let connection = TCPConnection(own, serial: 1, channel: nil, owner: PeerID(1), at: .zero)
        #expect(connection.deadline == Instant.zero + .seconds(10))
        connection.isAuthenticated = true
        #expect(connection.deadline == Instant.zero + .seconds(13), "consent lasts for 30 s")
    }

    @Test("nobody is connected to in a loop, nor too many at once")
    func attempts() {
        var table = ConnectionTable()
        func out(_ port: Int) -> AddressPair { AddressPair(local: Self.connector, remote: pair(from: 1, port).remote) }
        func connect(_ port: Int, at now: Instant) -> Bool {
            guard table.mayConnect(out(port), at: now) else { return false }
            table.insert(TCPConnection(out(port), serial: table.nextSerial(), channel: nil, owner: nil, at: now))
            return true
        }
        #expect(connect(1, at: .zero))
        if let first = table[out(1)] { table.remove(first) }
        #expect(!connect(1, at: .zero + .milliseconds(900)))
        #expect(connect(1, at: .zero + .milliseconds(1_000)))
        for port in 2...Limits.outgoingConnections { #expect(connect(port, at: .zero + .seconds(5))) }
        #expect(!connect(9000, at: .zero + .seconds(5)))
    }

    @Test("what comes late of a connection before is not taken for the one after it")
    func serials() {
        var table = ConnectionTable()
        let one = pair(from: 1, 1)
        #expect(accept(one, into: &table))
        let before = table[one]
        if let before { table.remove(before) }
        #expect(accept(one, into: &table))
        #expect(table[one, before?.serial ?? 0] == nil)
        if let before { table.remove(before) }
        #expect(table[one] != nil)
    }

    @Test("a stranger may send and is sent STUN and nothing else")
    func kinds() {
        let connection = TCPConnection(pair(from: 1, 1), serial: 1, channel: nil, owner: nil, at: .zero)
        #expect(connection.allows([0, 1, 0, 0]))
        #expect(!connection.allows([22, 254, 253]) && !connection.allows([128, 96]) && !connection.allows([]))
        connection.isAuthenticated = true
        #expect(connection.allows([22, 254, 253]) && connection.allows([128, 96]))
    }
}
