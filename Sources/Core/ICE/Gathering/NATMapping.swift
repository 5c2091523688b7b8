import Datagrams

/// How a NAT maps one socket of ours towards different places (RFC 4787 § 4.1).
package enum NATMapping: String, Hashable, Sendable {
    /// Our address arrives as it is.
    case none
    /// The same outside address for everybody: whoever is told of it can use it.
    case endpointIndependent
    /// Another for each address that is sent to.
    case addressDependent
    /// Another for each address and port that is sent to.
    case addressAndPortDependent
    /// One of the last two; which of them was not to be seen.
    case dependent
    /// Too little was seen.
    case unknown
}

/// How one socket looked from one place.
package struct MappingObservation: Hashable, Sendable {
    let place: TransportAddress
    let mapped: TransportAddress

    init(place: TransportAddress, mapped: TransportAddress) {
        self.place = place
        self.mapped = mapped
    }
}

extension NATMapping {
    /// The tests of RFC 5780 § 4.3, whatever the places: an address, another, another port of that. Several servers'
    /// answers stand for them where no server has two addresses.
    ///
    /// - Parameter base: the socket's own address.
    package init(base: TransportAddress, _ observations: [MappingObservation]) {
        // A server on our side of the NAT says nothing of it.
        let outside = observations.filter { $0.mapped != base }
        guard let first = outside.first else {
            self = observations.isEmpty ? .unknown : .none
            return
        }
        let neighbours = Self.pairs(outside).filter { $0.0.place.ip == $0.1.place.ip && $0.0.place != $0.1.place }
        if neighbours.contains(where: { $0.0.mapped != $0.1.mapped }) {
            self = .addressAndPortDependent
        } else if outside.contains(where: { $0.mapped != first.mapped }) {
            self = neighbours.isEmpty ? .dependent : .addressDependent
        } else {
            self = outside.contains { $0.place.ip != first.place.ip } ? .endpointIndependent : .unknown
        }
    }

    private static func pairs(_ all: [MappingObservation]) -> [(MappingObservation, MappingObservation)] {
        all.indices.flatMap { index in all[(index + 1)...].map { (all[index], $0) } }
    }
}
