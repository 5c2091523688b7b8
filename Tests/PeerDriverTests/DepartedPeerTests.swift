import Datagrams
import ICE
import PeerCore
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

@Suite("Who has left a hub", .timeLimit(.minutes(1)))
struct DepartedPeerTests {
    @Test("a check that is answered in the moment of a peer's end leaves no trace of the peer")
    func lastAnswer() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let id = PeerID(1)
        let ours = try await hub.add(id, PeerSetup(iceRole: .controlled, handshakeRole: .active), lane: nil)
        let theirs = try #require(ICECredentials(ufrag: "theirs", password: String(repeating: "p", count: 24)))
        let remote = RemoteParameters(
            credentials: theirs, fingerprint: try await hub.localFingerprint(), candidates: [])
        await hub.with(id) { core, now in core.setRemote(remote, at: now) }

        var random = SystemRandomNumberGenerator()
        let check = STUNMessage(
            .request, TransactionID.random(using: &random),
            [.username("\(ours.ufrag):\(theirs.ufrag)"), .priority(1), .iceControlling(1)])
        let bytes = check.encoded(key: Array(ours.password.utf8), with: TestAuthenticator())
        let local = try #require(await hub.localCandidates().first?.base)
        let pair = AddressPair(local: local, remote: TransportAddress(ip: .loopback, port: 9))
        // By then ICE has failed.
        await hub.dispatch(bytes, local: pair.local, remote: pair.remote, at: SystemClock.now() + .seconds(60))
        #expect(await hub.statistics().isEmpty)
        #expect(await hub.askers(of: pair).isEmpty)
        await hub.close()
    }
}

extension PeerHub {
    fileprivate func askers(of pair: AddressPair) -> [PeerID] { router.askers(of: pair) }
}
