import Foundation
import ICE
import Testing

@testable import PeerCore
@testable import PeerDriver
@testable import ScreenShare

@Suite("What a viewer's description makes of its peer", .timeLimit(.minutes(1)))
struct NegotiatedPeerTests {
    @Test("we nominate where it has ICE lite alone, which never does (RFC 8445 § 6.1.1); else it does", arguments: [true, false])
    func lite(isLite: Bool) async throws {
        let room = try await ShareRoom()
        let hub = try #require(await room.session.hub)
        let lite = AnswerTests.offer().replacingOccurrences(of: "t=0 0\r\n", with: "t=0 0\r\na=ice-lite\r\n")
        _ = try await room.session.answer(offer: isLite ? lite : AnswerTests.offer())
        let peer = PeerID(await room.session.lastPeer)
        #expect(await hub.role(of: peer) == (isLite ? ICERole.controlling : .controlled))
        await room.close()
    }

    @Test("the rate that it asks us to keep to is kept to, be it in its offer or in its answer to ours")
    func limit() async throws {
        func limited(_ text: String) -> String {
            text.replacingOccurrences(of: "c=IN IP4 0.0.0.0\r\n", with: "c=IN IP4 0.0.0.0\r\nb=TIAS:300000\r\n")
        }
        let room = try await ShareRoom()
        let hub = try #require(await room.session.hub)
        _ = try await room.session.answer(offer: AnswerTests.offer())
        let free = PeerID(await room.session.lastPeer)
        let most = try #require(await hub.bitrate(of: free))
        #expect(most > 1_000_000)
        _ = try await room.session.answer(offer: limited(AnswerTests.offer()))
        let offering = PeerID(await room.session.lastPeer)
        #expect(await hub.bitrate(of: offering) == 300_000)
        let offer = try await room.session.counterOffer()
        let answering = PeerID(await room.session.lastPeer)
        let answer = limited(offer.sdp).replacingOccurrences(of: "a=sendonly", with: "a=recvonly")
            .replacingOccurrences(of: "a=setup:actpass", with: "a=setup:passive")
        try await room.session.accept(answer: answer, from: offer.viewer)
        #expect(await hub.bitrate(of: answering) == 300_000)
        await room.close()
    }
}

extension PeerHub {
    fileprivate func role(of id: PeerID) -> ICERole? { peers[id]?.core.ice.role }
    /// What its pictures may use.
    fileprivate func bitrate(of id: PeerID) -> Int? { peers[id]?.core.sender?.bitsPerSecond }
}
