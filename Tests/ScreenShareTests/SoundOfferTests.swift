import RTP
import SignalingClient
import SignalingProtocol
import Testing

@testable import PeerCore
@testable import PeerDriver
@testable import ScreenShare

/// What viewers are offered of a share's sound, and what its room's page says of it.
@Suite("Sound in answers and rooms", .timeLimit(.minutes(1)))
struct SoundOfferTests {
    /// Of somebody who takes pictures, and sound with these parameters.
    private static func offer(_ parameters: String = "minptime=10") -> String {
        let sound = """
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            c=IN IP4 0.0.0.0
            a=mid:1
            a=recvonly
            a=rtcp-mux
            a=rtpmap:111 opus/48000/2
            a=fmtp:111 \(parameters)

            """
        return AnswerTests.offer().replacing("BUNDLE 0", with: "BUNDLE 0 1") + sound.replacing("\n", with: "\r\n")
    }

    /// With the system's sound.
    private func room() async throws -> ShareRoom {
        try await ShareRoom { $0.audio = AudioConfiguration(system: .custom(CustomAudioSource())) }
    }

    @Test("who takes less than the share's own sound has is sent that from its first packet on")
    func lane() async throws {
        let room = try await room()
        let hub = try #require(await room.session.hub)
        for (parameters, lane) in [("maxaveragebitrate=24000", AudioLane.careful), ("minptime=10", AudioLane.full)] {
            _ = try await room.session.answer(offer: Self.offer(parameters))
            let peer = PeerID(await room.session.lastPeer)
            #expect(await hub.audioLane(of: peer) == lane)
        }
        await room.close()
    }

    @Test("sound is offered by a share that began with it, also once its last source is gone, and by no other")
    func withoutSource() async throws {
        let room = try await room()
        let silent = try await ShareRoom()
        await room.session.setAudioSource(nil, .system)
        #expect(await room.session.configuration.audio.isEmpty)
        #expect(try await !room.session.answer(offer: Self.offer()).sdp.contains("a=inactive"))
        await silent.session.setAudioSource(.custom(CustomAudioSource()), .microphone)
        #expect(try await silent.session.answer(offer: Self.offer()).sdp.contains("a=inactive"))
        await room.close()
        await silent.close()
    }

    @Test("a room's page goes by what is shared now, not by what the share began with")
    func page() async throws {
        let room = try await room()
        #expect(await tells(room, .on))
        await room.session.setMuted(true, .system)
        #expect(await tells(room, .muted))
        await room.session.setAudioSource(.custom(CustomAudioSource()), .microphone)
        #expect(await tells(room, .on), "the microphone is live")
        await room.session.setAudioSource(nil, .microphone)
        #expect(await tells(room, .muted))
        await room.session.setAudioSource(nil, .system)
        #expect(await tells(room, nil))
        await room.close()
    }

    /// Whether its page does, in the end: it hears twice a second.
    private func tells(_ room: ShareRoom, _ audio: RoomState.Audio?) async -> Bool {
        guard let server = try? ServerAddress(room.address), let name = RoomName(ShareRoom.name) else { return false }
        for _ in 0..<100 {
            if let report = try? await server.examine(name), report.room.audio == audio { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}

extension PeerHub {
    fileprivate func audioLane(of id: PeerID) -> AudioLane? { peers[id]?.core.audioSender?.lane }
}
