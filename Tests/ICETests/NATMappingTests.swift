import Datagrams
import Testing

@testable import ICE

@Suite("What a NAT does with one socket")
struct NATMappingTests {
    private static let base = address("192.168.1.10", 5000)
    private static let one = address("198.51.100.1", 3478)
    private static let onePort = address("198.51.100.1", 3479)
    private static let two = address("198.51.100.2", 3478)
    private static let twoPort = address("198.51.100.2", 3479)
    private static let outside = [61_000, 61_001, 61_002].map { address("203.0.113.7", $0) }

    private static func mapping(_ seen: (TransportAddress, TransportAddress)...) -> NATMapping {
        NATMapping(base: base, seen.map { MappingObservation(place: $0.0, mapped: $0.1) })
    }

    @Test("our own address at a server means that there is no NAT")
    func none() {
        #expect(Self.mapping((Self.one, Self.base)) == .none)
        #expect(Self.mapping((Self.one, Self.base), (Self.two, Self.base)) == .none)
    }

    @Test("nothing seen, or one place alone, says nothing of the mapping")
    func unknown() {
        #expect(Self.mapping() == .unknown)
        #expect(Self.mapping((Self.one, Self.outside[0])) == .unknown)
        #expect(Self.mapping((Self.one, Self.outside[0]), (Self.onePort, Self.outside[0])) == .unknown)
    }

    @Test("the same address at two others is endpoint-independent")
    func independent() {
        #expect(Self.mapping((Self.one, Self.outside[0]), (Self.two, Self.outside[0])) == .endpointIndependent)
        #expect(
            Self.mapping((Self.one, Self.outside[0]), (Self.two, Self.outside[0]), (Self.twoPort, Self.outside[0]))
                == .endpointIndependent)
    }

    @Test("RFC 5780's third test tells which of the two dependent mappings it is")
    func dependent() {
        #expect(Self.mapping((Self.one, Self.outside[0]), (Self.two, Self.outside[1])) == .dependent)
        #expect(
            Self.mapping((Self.one, Self.outside[0]), (Self.two, Self.outside[1]), (Self.twoPort, Self.outside[1]))
                == .addressDependent)
        #expect(
            Self.mapping((Self.one, Self.outside[0]), (Self.two, Self.outside[1]), (Self.twoPort, Self.outside[2]))
                == .addressAndPortDependent)
        #expect(
            Self.mapping((Self.one, Self.outside[0]), (Self.onePort, Self.outside[1])) == .addressAndPortDependent)
    }

    @Test("another outside address with the same port is another mapping too")
    func pool() {
        #expect(Self.mapping((Self.one, Self.outside[0]), (Self.two, address("203.0.113.8", 61_000))) == .dependent)
    }

    @Test("a server on our side of the NAT does not count")
    func inside() {
        let near = address("192.168.1.1", 3478)
        #expect(Self.mapping((near, Self.base), (Self.one, Self.outside[0])) == .unknown)
        #expect(
            Self.mapping((near, Self.base), (Self.one, Self.outside[0]), (Self.two, Self.outside[0]))
                == .endpointIndependent)
    }
}
