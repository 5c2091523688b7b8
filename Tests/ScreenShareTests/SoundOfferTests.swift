import AudioCodec
import Media
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
        let lanes: [(String, AudioLane)] = [
            ("maxaveragebitrate=24000", .narrow), ("maxaveragebitrate=32000", .careful), ("minptime=10", .full),
        ]
        for (parameters, lane) in lanes {
            _ = try await room.session.answer(offer: Self.offer(parameters))
            let peer = PeerID(await room.session.lastPeer)
            #expect(await hub.audioLane(of: peer) == lane)
        }
        await room.close()
    }

    @Test("room is left for the headers of as many packets as a second has")
    func headers() async throws {
        for (duration, headers) in [(AudioPacketDuration.milliseconds20, 24_000), (.milliseconds10, 48_000)] {
            let room = try await ShareRoom {
                $0.audio = AudioConfiguration(system: .custom(CustomAudioSource()))
                $0.audio.packetDuration = duration
            }
            #expect(await room.session.soundWithHeaders == 96_000 + headers)
            await room.close()
        }
    }

    @Test("sound is offered by a share that began with it, also once its last source is gone, and by no other")
    func withoutSource() async throws {
        let room = try await room()
        let silent = try await ShareRoom()
        await room.session.setAudioSource(nil, for: .system)
        #expect(await room.session.configuration.audio.isEmpty)
        #expect(try await !room.session.answer(offer: Self.offer()).sdp.contains("a=inactive"))
        await silent.session.setAudioSource(.custom(CustomAudioSource()), for: .microphone)
        #expect(try await silent.session.answer(offer: Self.offer()).sdp.contains("a=inactive"))
        await room.close()
        await silent.close()
    }

    @Test("sound that has ended is offered to nobody, no room's page tells of it, and pictures have its bits")
    func ended() async throws {
        let room = try await room()
        let watching = try await viewer(room)
        #expect(await tells(room, .on))
        let before = await room.session.videoBitrate
        await room.session.handle(.audio(.failed("no thread")))
        #expect(try await room.session.answer(offer: Self.offer()).sdp.contains("a=inactive"))
        #expect(await tells(room, nil))
        #expect(await room.session.videoBitrate > before)
        #expect(await lanes(room) == [:])
        await watching.session.stop()
        await room.close()
    }

    @Test("a gain is one source's alone: of what is heard now, and of what the share would start with again")
    func gain() async throws {
        let room = try await room()
        await room.session.setGain(-20, for: .system)
        await room.session.setGain(6, for: .microphone)
        let gains = await room.session.audioControls?.present.gains
        #expect(gains == [.system: Gain(decibels: -20), .microphone: Gain(decibels: 6)])
        let configuration = await room.session.configuration.audio
        #expect(configuration.systemGain == -20 && configuration.microphoneGain == 6)
        await room.close()
    }

    @Test("a viewer of ours that takes less says so in its offer, and is sent that")
    func ownViewer() async throws {
        let room = try await room()
        let hub = try #require(await room.session.hub)
        for (most, sent) in [(32_000, 32_000), (nil, 96_000)] as [(Int?, Int)] {
            var configuration = ViewConfiguration(server: room.address, room: ShareRoom.name)
            configuration.network.interfaces = ["127.0.0.1"]
            configuration.receivesAudio = true
            configuration.maximumAudioBitrate = most
            let viewer = ViewSession(configuration: configuration)
            await viewer.start()
            for await event in viewer.events where event == .connected { break }
            #expect(await settles(room, hub, at: sent))
            await viewer.stop()
        }
        await room.close()
    }

    /// Whether the viewer is sent so many bits per second in the end: its own encoding becomes the share's where nobody takes
    /// more, and on a busy machine its path seems to hold less for a while, or it joins again.
    private func settles(_ room: ShareRoom, _ hub: PeerHub, at bitsPerSecond: Int) async -> Bool {
        for _ in 0..<400 {
            let peer = PeerID(await room.session.lastPeer)
            if let lane = await hub.audioLane(of: peer), await lanes(room)?[lane] == bitsPerSecond { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// A viewer of ours that is connected, as the share sees it.
    private func viewer(_ room: ShareRoom) async throws -> (session: ViewSession, peer: PeerID) {
        let before = await room.session.connectedViewers
        var configuration = ViewConfiguration(server: room.address, room: ShareRoom.name)
        configuration.network.interfaces = ["127.0.0.1"]
        configuration.receivesAudio = true
        let viewer = ViewSession(configuration: configuration)
        await viewer.start()
        for await event in viewer.events where event == .connected { break }
        while await room.session.connectedViewers == before { try await Task.sleep(for: .milliseconds(5)) }
        return (viewer, PeerID(await room.session.lastPeer))
    }

    /// What each of its encodings has, in bits per second.
    private func lanes(_ room: ShareRoom) async -> [AudioLane: Int]? {
        await room.session.audioControls?.present.lanes.mapValues(\.bitsPerSecond)
    }

    @Test("sound follows what the only viewer's path takes in the encoding it has; beside a wider path, in one of its own")
    func followsThePath() async throws {
        let room = try await room()
        let first = try await viewer(room)
        #expect(await lanes(room) == [.full: 96_000])
        await room.session.handle(.soundRoom(first.peer, 48_000))
        #expect(await lanes(room) == [.full: 48_000])
        let second = try await viewer(room)
        #expect(await lanes(room) == [.full: 96_000, .careful: 48_000])
        await room.session.handle(.soundRoom(first.peer, 24_000))
        #expect(await lanes(room) == [.full: 96_000, .narrow: 24_000])
        await second.session.stop()
        await room.session.handle(.soundRoom(first.peer, .max))
        await first.session.stop()
        await room.close()
    }

    @Test("a viewer that asks for more or less than Opus can have is told so, before anything is opened")
    func absurdRates() async throws {
        for rate in [Int.min, 5_999, 510_001, .max] {
            var configuration = ViewConfiguration(endpoint: "http://127.0.0.1:9/whep")
            configuration.maximumAudioBitrate = rate
            let viewer = ViewSession(configuration: configuration)
            await viewer.start()
            var events: [ViewEvent] = []
            for await event in viewer.events { events.append(event) }
            #expect(events == [.ended(.invalid("sound takes 6000…510000 bits per second"))])
        }
        for rate in [nil, 6_000, 510_000] as [Int?] {
            var configuration = ViewConfiguration(endpoint: "http://127.0.0.1:9/whep")
            configuration.maximumAudioBitrate = rate
            try configuration.check()
        }
    }

    @Test("a room's page goes by what is shared now, not by what the share began with, and says which of it is muted")
    func page() async throws {
        let room = try await room()
        #expect(await tells(room, .on))
        await room.session.setMuted(true, for: .system)
        #expect(await tells(room, .muted, [.system]))
        await room.session.setAudioSource(.custom(CustomAudioSource()), for: .microphone)
        #expect(await tells(room, .on, [.system]), "the microphone is live")
        await room.session.setMuted(true, for: .microphone)
        #expect(await tells(room, .muted, [.system, .microphone]))
        await room.session.setMuted(false, for: .system)
        #expect(await tells(room, .on, [.microphone]))
        await room.session.setAudioSource(nil, for: .microphone)
        #expect(await tells(room, .on), "nobody misses what is not shared")
        await room.session.setAudioSource(nil, for: .system)
        #expect(await tells(room, nil))
        await room.close()
    }

    /// Whether its page does, in the end: it hears twice a second.
    private func tells(
        _ room: ShareRoom, _ audio: RoomState.Audio?, _ muted: [RoomState.Sound]? = nil
    ) async -> Bool {
        guard let server = try? ServerAddress(room.address), let name = RoomName(ShareRoom.name) else { return false }
        for _ in 0..<100 {
            let state = try? await server.examine(name).room
            if let state, state.audio == audio, state.muted == muted { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}

extension PeerHub {
    fileprivate func audioLane(of id: PeerID) -> AudioLane? { peers[id]?.core.audioSender?.lane }
}
