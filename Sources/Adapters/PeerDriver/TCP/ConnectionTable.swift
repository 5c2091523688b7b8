import Datagrams
import ICE
import Timebase

/// A hub's TCP connections by their addresses, and the bounds of them.
struct ConnectionTable {
    private(set) var all: [AddressPair: TCPConnection] = [:]
    /// When we connected last to an address; only of the last seconds.
    private var attempts: [AddressPair: Instant] = [:]
    private var unflushed: Set<AddressPair> = []
    private var serial: UInt64 = 0
    /// When the first of them is to be looked at.
    private(set) var due = Instant.distantFuture

    subscript(pair: AddressPair) -> TCPConnection? { all[pair] }

    /// Nil for one of a time before.
    subscript(pair: AddressPair, serial: UInt64) -> TCPConnection? {
        all[pair].flatMap { $0.serial == serial ? $0 : nil }
    }

    // MARK: They come

    mutating func nextSerial() -> UInt64 {
        serial += 1
        return serial
    }

    /// Whether somebody from there may come in.
    func accepts(_ pair: AddressPair) -> Bool { all.count < Limits.connections && all[pair] == nil }

    /// The stranger that makes room for somebody from there, where that takes one: a peer proves itself within a round trip,
    /// who does nothing would keep it out. Of the same address, where that has its share, the one that came first; else of
    /// the network with most of them.
    func surplus(before pair: AddressPair) -> TCPConnection? {
        guard all[pair] == nil else { return nil }
        let strangers = all.values.filter { !$0.isAuthenticated && !$0.isOutgoing }
        let neighbours = strangers.filter { $0.pair.remote.ip == pair.remote.ip }
        if neighbours.count >= Limits.strangersPerAddress { return neighbours.min { $0.serial < $1.serial } }
        guard strangers.count >= Limits.strangers || all.count >= Limits.connections else { return nil }
        let networks = Dictionary(grouping: strangers) { $0.pair.remote.ip.network }.values
        let most = networks.map(\.count).max()
        return networks.filter { $0.count == most }.joined().min { $0.serial < $1.serial }
    }

    /// Whether we may connect there; the attempt counts.
    mutating func mayConnect(_ pair: AddressPair, at now: Instant) -> Bool {
        attempts = attempts.filter { now - $0.value < Limits.connectPause }
        guard all.count < Limits.connections, attempts[pair] == nil,
            all.values.count(where: \.isOutgoing) < Limits.outgoingConnections
        else { return false }
        attempts[pair] = now
        return true
    }

    mutating func insert(_ connection: TCPConnection) {
        all[connection.pair] = connection
        due = min(due, connection.deadline)
    }

    /// A check on it was authenticated.
    /// - Returns: one of that peer's that makes room.
    mutating func authenticated(_ pair: AddressPair, by peer: PeerID, at now: Instant) -> TCPConnection? {
        guard let connection = all[pair] else { return nil }
        connection.isAuthenticated = true
        connection.heardAt = now
        guard connection.owner != peer else { return nil }
        connection.owner = peer
        let own = all.values.filter { $0.owner == peer && $0 !== connection }
        return own.count < Limits.connectionsPerPeer ? nil : own.min { $0.heardAt < $1.heardAt }
    }

    // MARK: They are written to

    mutating func wrote(_ pair: AddressPair) { unflushed.insert(pair) }

    /// The ones that were written to since; taken out, because a write that fails says so at once and changes the table.
    mutating func takeUnflushed() -> [TCPConnection] {
        if unflushed.isEmpty { return [] }
        defer { unflushed.removeAll(keepingCapacity: true) }
        return unflushed.compactMap { all[$0] }
    }

    // MARK: They go

    mutating func remove(_ connection: TCPConnection) {
        if all[connection.pair] === connection { all[connection.pair] = nil }
    }

    /// The ones whose time is over.
    mutating func expired(at now: Instant) -> [TCPConnection] {
        guard now >= due else { return [] }
        due = all.values.map(\.deadline).filter { $0 > now }.min() ?? .distantFuture
        return all.values.filter { $0.deadline <= now }
    }

    func owned(by peer: PeerID) -> [TCPConnection] { all.values.filter { $0.owner == peer } }
}

extension IPAddress {
    /// What a single machine may take its addresses from: of IPv6 a /64 (RFC 4291 § 2.5.1, RFC 8981).
    fileprivate var network: IPAddress {
        switch self {
        case .v4: self
        case .v6(let high, _): .v6(high: high, low: 0)
        }
    }
}
