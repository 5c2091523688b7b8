import Datagrams
import ICE
@testable import PeerDriver
import Testing

@Suite("Whose datagrams these are")
struct RouterTests {
    private let viewer = PeerID(1)
    private let other = PeerID(2)
    private let pair = AddressPair(
        local: TransportAddress(ip: .v4(0x0A00_0001), port: 5000), remote: TransportAddress(ip: .v4(0x0A00_0002), port: 6000))

    @Test("an address that is nobody's goes to whoever proves a password from there")
    func first() {
        var router = Router()
        #expect(router.owner(of: pair) == nil)
        router.requested(pair, by: viewer)
        #expect(router.owner(of: pair) == viewer)
    }

    @Test("a request that claims another's address takes nothing from it; an answer to our own check does")
    func claims() {
        var router = Router()
        router.requested(pair, by: viewer)
        router.sentCheck(pair, by: viewer)
        router.requested(pair, by: other)
        router.sentCheck(pair, by: other)
        #expect(router.owner(of: pair) == viewer)
        #expect(router.askers(of: pair) == [viewer, other], "the owner's answers are looked at first")
        router.answered(pair, by: other)
        #expect(router.owner(of: pair) == other)
    }

    @Test("who claimed an address before its viewer came does not keep it")
    func before() {
        var router = Router()
        router.requested(pair, by: other)
        router.sentCheck(pair, by: other)
        router.requested(pair, by: viewer)
        router.sentCheck(pair, by: viewer)
        #expect(router.askers(of: pair).contains(viewer))
        router.answered(pair, by: viewer)
        #expect(router.owner(of: pair) == viewer)
    }

    @Test("after two restarts in one outage the session that media takes is still known, and the one between no more")
    func restarts() {
        var router = Router()
        router.register(fragments: ["first"], for: viewer)
        router.register(fragments: ["second", "first"], for: viewer)
        router.register(fragments: ["third", "first"], for: viewer)
        #expect(["first", "second", "third"].map { router.peer(fragment: $0) } == [viewer, nil, viewer])
        router.remove(viewer)
        #expect(["first", "third"].map { router.peer(fragment: $0) } == [nil, nil])
    }

    @Test("many who ask at one address do not push each other out without bound, and the gone are forgotten")
    func bounds() {
        var router = Router()
        for number in 1...100 { router.sentCheck(pair, by: PeerID(UInt64(number))) }
        #expect(router.askers(of: pair).count == 8)
        #expect(router.askers(of: pair).first == PeerID(100))
        router.remove(PeerID(100))
        #expect(!router.askers(of: pair).contains(PeerID(100)))
        for number in 1...100 { router.remove(PeerID(UInt64(number))) }
        #expect(router.askers(of: pair).isEmpty)
    }
}
