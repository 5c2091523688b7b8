import Datagrams
import Timebase

/// A peer's address and the number that may stand for it (RFC 8656 § 12).
///
///     counting ──16 datagrams──► asking ──► bound ──► asking …
///                                  │          └──── unused: lapsing ──5 min after its end──► forgotten
///                                  └── no: refused, asked again later
struct Channel {
    let number: UInt16
    /// How many datagrams went to the peer without a channel.
    var sent = 0
    /// Until when the server knows the number for sure; nil: it is not used for sending.
    var boundUntil: Instant?
    /// Until when the server may know it, and for five minutes more: neither number nor address is used otherwise
    /// before.
    var reservedUntil: Instant?
    /// When it is bound again, or forgotten.
    var due = Instant.distantFuture
    /// A request is in the air.
    var isAsking = false
    /// The server said no: nothing that comes with the number counts.
    var isRefused = false
    /// Not refreshed for want of use; the next use binds it again.
    private(set) var isLapsing = false
    private(set) var usedAt: Instant

    init(number: UInt16, usedAt: Instant) {
        self.number = number
        self.usedAt = usedAt
    }

    func isBound(at now: Instant) -> Bool { boundUntil.map { now < $0 } ?? false }
    func isIdle(at now: Instant) -> Bool { now - usedAt >= Limits.relayIdleTime }

    /// True where it is to be bound again.
    mutating func used(at now: Instant) -> Bool {
        usedAt = now
        guard isLapsing else { return false }
        isLapsing = false
        due = now
        return true
    }

    mutating func lapse(until end: Instant) {
        isLapsing = true
        due = end
    }

    /// Whether the server may send with the number: from a channel that was just asked for, data may come before the
    /// answer, or the answer never (RFC 8656 § 12).
    func isOpen(at now: Instant) -> Bool { !isRefused && (reservedUntil.map { now < $0 } ?? false) }

    mutating func asked(at now: Instant) {
        isAsking = true
        isRefused = false
        reservedUntil = now + Limits.channelTime + Limits.channelQuarantine
    }

    mutating func bound(at now: Instant) {
        isAsking = false
        isRefused = false
        boundUntil = now + Limits.channelTime
        reservedUntil = now + Limits.channelTime + Limits.channelQuarantine
        due = now + Limits.channelRefresh
    }

    /// No answer, or a no: indications do as well.
    mutating func failed(at now: Instant) {
        isAsking = false
        due = now + Limits.refusedPeerRetry
    }
}

/// Every channel of one allocation, never more than the limit.
struct ChannelTable {
    private var entries: [TransportAddress: Channel] = [:]
    private var peers: [UInt16: TransportAddress] = [:]
    private var nextNumber = Limits.channelNumbers.lowerBound

    subscript(peer: TransportAddress) -> Channel? { entries[peer] }
    func peer(of number: UInt16) -> TransportAddress? { peers[number] }

    var due: Instant? { entries.values.lazy.filter { !$0.isAsking }.map(\.due).min() }

    func due(at now: Instant) -> [TransportAddress] {
        entries.filter { !$0.value.isAsking && $0.value.due <= now }.sorted { $0.value.due < $1.value.due }.map(\.key)
    }

    /// Notes a datagram to a peer.
    /// - Returns: the number of its channel, and whether there is a request to be made now.
    mutating func use(_ peer: TransportAddress, at now: Instant) -> (number: UInt16?, isDue: Bool) {
        if entries[peer] == nil { insert(peer, at: now) }
        var result: (number: UInt16?, isDue: Bool) = (nil, false)
        update(peer) { entry in
            let isAgain = entry.used(at: now)
            if entry.isBound(at: now) {
                result = (entry.number, isAgain)
            } else {
                entry.sent += 1
                // The first request; later ones have their time.
                if entry.due == .distantFuture, entry.sent >= Limits.datagramsBeforeChannel { entry.due = now }
                result = (nil, !entry.isAsking && entry.due <= now)
            }
        }
        return result
    }

    /// Where the table is full, an address without a channel makes room; where all have one, there are no more.
    private mutating func insert(_ peer: TransportAddress, at now: Instant) {
        if entries.count >= Limits.channels {
            let unbound = entries.filter { $0.value.reservedUntil == nil }
            guard let oldest = unbound.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return }
            remove(oldest.key)
        }
        let range = Limits.channelNumbers
        while peers[nextNumber] != nil {  // ends: there are fewer entries than numbers
            nextNumber = nextNumber == range.upperBound ? range.lowerBound : nextNumber + 1
        }
        entries[peer] = Channel(number: nextNumber, usedAt: now)
        peers[nextNumber] = peer
        nextNumber = nextNumber == range.upperBound ? range.lowerBound : nextNumber + 1
    }

    mutating func update(_ peer: TransportAddress, _ body: (inout Channel) -> Void) { entries[peer].mutate(body) }

    mutating func remove(_ peer: TransportAddress) {
        if let number = entries.removeValue(forKey: peer)?.number { peers[number] = nil }
    }
}
