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

    mutating func register(fragment: String, for peer: PeerID) {
        byFragment[fragment] = peer
    }

    mutating func unregister(fragment: String) {
        byFragment[fragment] = nil
    }

    func peer(fragment: String) -> PeerID? { byFragment[fragment] }
    func owner(of pair: AddressPair) -> PeerID? { owners[pair] }
    func asker(of pair: AddressPair) -> PeerID? { asked[pair] ?? owners[pair] }

    /// A check from there was authenticated: datagrams of that pair are this peer's, until another proves otherwise.
    mutating func authenticated(_ pair: AddressPair, by peer: PeerID) {
        if owners[pair] == peer { return }
        guard remember(pair, of: peer) else { return }
        owners[pair] = peer
    }

    mutating func sentCheck(_ pair: AddressPair, by peer: PeerID) {
        if asked[pair] == peer { return }
        guard remember(pair, of: peer) else { return }
        asked[pair] = peer
    }

    mutating func remove(_ peer: PeerID) {
        for pair in pairs.removeValue(forKey: peer) ?? [] {
            if owners[pair] == peer { owners[pair] = nil }
            if asked[pair] == peer { asked[pair] = nil }
        }
        byFragment = byFragment.filter { $0.value != peer }
    }

    private mutating func remember(_ pair: AddressPair, of peer: PeerID) -> Bool {
        var known = pairs[peer] ?? []
        if !known.contains(pair) {
            guard known.count < Limits.routesPerPeer else { return false }
            known.append(pair)
            pairs[peer] = known
        }
        return true
    }
}
