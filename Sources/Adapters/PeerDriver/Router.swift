import Datagrams
import ICE

/// Finds the peer a datagram on the shared port belongs to.
///
/// Requests carry our user name fragment; everything else is known by its addresses, which a peer owns only after a check
/// from there was authenticated with that peer's password. A request only shows who wrote it, not that it came from
/// there: it gives a peer addresses that are nobody's; those of another peer it gets by answering our own check from there.
/// So the addresses we sent checks to are remembered too, for STUN only.
struct Router {
    private var byFragment: [String: PeerID] = [:]
    private var owners: [AddressPair: PeerID] = [:]
    /// Who sent checks there, the newest last.
    private var asked: [AddressPair: [PeerID]] = [:]
    private var pairs: [PeerID: [AddressPair]] = [:]
    private var fragments: [PeerID: [String]] = [:]

    /// In place of those that the peer had: during an ICE restart the session that media takes counts beside the new one.
    mutating func register(fragments new: [String], for peer: PeerID) {
        for fragment in fragments[peer] ?? [] { byFragment[fragment] = nil }
        for fragment in new { byFragment[fragment] = peer }
        fragments[peer] = new
    }

    func peer(fragment: String) -> PeerID? { byFragment[fragment] }
    func owner(of pair: AddressPair) -> PeerID? { owners[pair] }
    /// Whose an answer from there may be: the owner's, or of those who asked, the newest first.
    func askers(of pair: AddressPair) -> [PeerID] {
        let owner = owners[pair]
        return (owner.map { [$0] } ?? []) + (asked[pair] ?? []).reversed().filter { $0 != owner }
    }

    /// A request from there was authenticated.
    mutating func requested(_ pair: AddressPair, by peer: PeerID) {
        if owners[pair] == nil { answered(pair, by: peer) }
    }

    /// Our check there was answered: datagrams of that pair are this peer's, until another proves otherwise.
    mutating func answered(_ pair: AddressPair, by peer: PeerID) {
        if owners[pair] == peer { return }
        remember(pair, of: peer)
        owners[pair] = peer
    }

    mutating func sentCheck(_ pair: AddressPair, by peer: PeerID) {
        if asked[pair]?.last == peer { return }
        remember(pair, of: peer)
        var peers = (asked[pair] ?? []).filter { $0 != peer }
        if peers.count >= Limits.askersPerPair { peers.removeFirst() }
        asked[pair] = peers + [peer]
    }

    mutating func remove(_ peer: PeerID) {
        for pair in pairs.removeValue(forKey: peer) ?? [] { forget(pair, of: peer) }
        for fragment in fragments.removeValue(forKey: peer) ?? [] { byFragment[fragment] = nil }
    }

    private mutating func forget(_ pair: AddressPair, of peer: PeerID) {
        if owners[pair] == peer { owners[pair] = nil }
        guard let left = asked[pair]?.filter({ $0 != peer }) else { return }
        asked[pair] = left.isEmpty ? nil : left
    }

    /// The newest pairs of a peer; where there are too many, one that was only asked goes before one that it owns.
    private mutating func remember(_ pair: AddressPair, of peer: PeerID) {
        var known = pairs[peer] ?? []
        guard !known.contains(pair) else { return }
        if known.count >= Limits.routesPerPeer {
            let index = known.firstIndex { owners[$0] != peer } ?? 0
            forget(known.remove(at: index), of: peer)
        }
        known.append(pair)
        pairs[peer] = known
    }
}
