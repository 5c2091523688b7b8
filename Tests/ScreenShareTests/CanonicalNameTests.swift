import SDP
import Testing

@testable import PeerCore
@testable import PeerDriver
@testable import ScreenShare

/// A name that stays would let viewers and sharers be followed from session to session.
@Suite("Canonical names (RFC 7022)", .timeLimit(.minutes(1)))
struct CanonicalNameTests {
    @Test("a viewer has another random name each time it joins, and keeps it for the session")
    func viewer() async throws {
        let room = try await ShareRoom()
        // Its sockets are the viewers'.
        let other = try await ShareRoom()
        let hub = try #require(await other.session.hub)
        var names: Set<String> = []
        for peer in [PeerID(4711), PeerID(4712)] {
            let wanted = ViewConfiguration(server: room.address, room: ShareRoom.name)
            let negotiation = try await ViewNegotiation(hub: hub, peer: peer, wanted: wanted)
            let name = try #require(await hub.canonicalName(of: peer))
            #expect(name.utf8.count == 16)
            let answer = try await room.session.answer(offer: negotiation.offer).sdp
            let accepted = await negotiation.accept(answer: answer)
            #expect(accepted != nil)
            #expect(await hub.canonicalName(of: peer) == name)
            names.insert(name)
        }
        #expect(names.count == 2)
        await room.close()
        await other.close()
    }

    @Test("a share's pictures and sound have one name for a viewer, and another for the next")
    func sharer() throws {
        let (pictures, others) = (LocalStream.random(retransmits: true), LocalStream.random(retransmits: true))
        let sound = pictures.sibling("sound")
        #expect(pictures.cname.utf8.count == 16 && pictures.cname == sound.cname)
        #expect(pictures.cname != others.cname)
        // What a token takes (RFC 8830 § 2).
        let token = /[a-z]+-[0-9]+/
        for stream in [pictures, sound, others] {
            let track = try #require(stream.id.track)
            #expect(track.wholeMatch(of: token) != nil)
        }
        #expect(pictures.id.track != sound.id.track)
    }
}

extension PeerHub {
    fileprivate func canonicalName(of id: PeerID) -> String? { peers[id]?.core.setup.receive?.canonicalName }
}
