import ICE
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("What a viewer asks us to keep to")
struct ViewerLimitTests {
    @Test(
        "is kept to, whatever the share may use later; less than pictures take at the very least is not",
        arguments: [(300_000, 300_000), (1, 60_000)])
    func limit(asked: Int, kept: Int) {
        let send = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: nil, canonicalName: "sharer", mid: nil, extensions: ExtensionMap(),
            bitsPerSecond: 4_000_000, viewerMaximum: asked)
        var peer = PeerCore(
            PeerSetup(iceRole: .controlled, handshakeRole: .active, send: send), localCandidates: [],
            security: TransparentSecurity(name: 1), authenticator: TestAuthenticator(), wallClock: LoneSender.clock,
            random: SeededGenerator(seed: 1), at: LoneSender.start)
        let first = [peer.path.target, peer.sender?.bitsPerSecond]
        #expect(first == [kept, kept])
        peer.setBitrate(8_000_000, at: LoneSender.start)
        let later = [peer.path.target, peer.sender?.bitsPerSecond]
        #expect(later == [kept, kept])
    }
}
