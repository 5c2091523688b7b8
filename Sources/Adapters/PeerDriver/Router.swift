import Datagrams
import ICE

/// One of our sockets and one address outside.
struct AddressPair: Hashable {
    let local: TransportAddress
    let remote: TransportAddress
}

/// Finds the peer a datagram on the shared port belongs to.
///
/// Requests carry our user name fragment; everything else is known by its addresses, which a peer owns only after a check
/// from there was authenticated with that peer's password. Responses to our checks may come before that, so the
/// addresses we sent checks to are remembered too, for STUN only.
struct Router {
    private var byFragment: [String: PeerID] = [:]
    private var owners: [AddressPair: PeerID] = [:]
    private var asked: [AddressPair: PeerID] = [:]
    private var pairs: [PeerID: [AddressPair]] = [:]
    private var fragments: [PeerID: [String]] = [:]

    /// After an ICE restart the fragment before it still counts, older ones no more.
    mutating func register(fragment: String, for peer: PeerID) {
        byFragment[fragment] = peer
        var own = fragments[peer] ?? []
        own.append(fragment)
        if own.count > 2 { byFragment[own.removeFirst()] = nil }
        fragments[peer] = own
    }

    func peer(fragment: String) -> PeerID? { byFragment[fragment] }
    func owner(of pair: AddressPair) -> PeerID? { owners[pair] }
    func asker(of pair: AddressPair) -> PeerID? { asked[pair] ?? owners[pair] }

    /// A check from there was authenticated: datagrams of that pair are this peer's, until another proves otherwise.
    mutating func authenticated(_ pair: AddressPair, by peer: PeerID) {
        if owners[pair] == peer { return }
        remember(pair, of: peer)
        owners[pair] = peer
    }

    mutating func sentCheck(_ pair: AddressPair, by peer: PeerID) {
        if asked[pair] == peer { return }
        remember(pair, of: peer)
        asked[pair] = peer
    }

    mutating func remove(_ peer: PeerID) {
        for pair in pairs.removeValue(forKey: peer) ?? [] { forget(pair, of: peer) }
        for fragment in fragments.removeValue(forKey: peer) ?? [] { byFragment[fragment] = nil }
    }

    private mutating func forget(_ pair: AddressPair, of peer: PeerID) {
        if owners[pair] == peer { owners[pair] = nil }
        if asked[pair] == peer { asked[pair] = nil }
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
