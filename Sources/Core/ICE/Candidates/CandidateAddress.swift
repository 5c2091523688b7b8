import Datagrams

/// Where a candidate is.
package enum CandidateAddress: Hashable, Sendable {
    case ip(TransportAddress)
    /// A browser's `<uuid>.local`, which hides a host address. It is not resolved here; such a peer is found by its own
    /// checks, as a peer-reflexive candidate.
    case mdns(name: String, port: UInt16)

    var transportAddress: TransportAddress? {
        switch self {
        case .ip(let address): address
        case .mdns: nil
        }
    }
}
