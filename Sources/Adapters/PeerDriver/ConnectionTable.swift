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
    func accepts(_ pair: AddressPair) -> Bool {
        guard all.count < Limits.connections, all[pair] == nil else { return false }
        let strangers = all.values.filter { !$0.isAuthenticated }
        return strangers.count < Limits.strangers
            && strangers.count { $0.pair.remote.ip == pair.remote.ip } < Limits.strangersPerAddress
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
