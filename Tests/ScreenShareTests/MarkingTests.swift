import Datagrams
import ICE
import Testing

@testable import PeerCore
@testable import PeerDriver
@testable import ScreenShare

/// `NetworkConfiguration.marksPackets`.
@Suite("What routers are asked for", .timeLimit(.minutes(1)))
struct MarkingTests {
    @Test("a hub's datagrams ask for a call's treatment, unless that was turned off", arguments: [true, false])
    func treatment(marks: Bool) async throws {
        var network = NetworkConfiguration()
        network.interfaces = ["127.0.0.1"]
        network.marksPackets = marks
        let hub = try await network.hubConfiguration(tcp: .passive) { _, _, _ in }
        #expect(hub.marksDatagrams == marks)
    }

    @Test("packets may be marked where neither side has turned that off, and else neither speaks of it", arguments: [
        (true, true), (true, false), (false, true),
    ])
    func marks(viewer: Bool, sharer: Bool) async throws {
        let room = try await ShareRoom { $0.network.marksPackets = sharer }
        // Its sockets are the viewer's.
        let other = try await ShareRoom()
        var wanted = ViewConfiguration(server: room.address, room: ShareRoom.name)
        wanted.network.marksPackets = viewer
        let hub = try #require(await other.session.hub)
        let offer = try await ViewNegotiation(hub: hub, peer: PeerID(4711), wanted: wanted).offer
        #expect(offer.contains("a=ecn-capable-rtp:") == viewer)

        let answer = try await room.session.answer(offer: offer).sdp
        #expect(answer.contains("a=ecn-capable-rtp:") == (viewer && sharer))
        let sending = try #require(await room.session.hub)
        let ecn = await sending.ecn(of: PeerID(await room.session.lastPeer))
        let expected: ECN? = viewer && sharer ? .capable0 : nil
        #expect(ecn == expected)
        await room.close()
        await other.close()
    }
}

extension PeerHub {
    /// What packets to a viewer may carry for routers.
    fileprivate func ecn(of id: PeerID) -> ECN? { peers[id]?.core.setup.send?.ecn }
}
