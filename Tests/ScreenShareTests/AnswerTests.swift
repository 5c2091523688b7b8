import Datagrams
import Foundation
import Media
import SystemClock
import Testing
import Timebase

@testable import ICE
@testable import PeerCore
@testable import PeerDriver
@testable import ScreenShare

/// What a viewer of any make reads in our answers.
@Suite("Answers to viewers", .timeLimit(.minutes(1)))
struct AnswerTests {
    static func offer(payloadType: Int = 96) -> String {
        """
        v=0
        o=- 1 1 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=group:BUNDLE 0
        m=video 9 UDP/TLS/RTP/SAVPF \(payloadType)
        c=IN IP4 0.0.0.0
        a=mid:0
        a=recvonly
        a=rtcp-mux
        a=setup:actpass
        a=ice-ufrag:abcd
        a=ice-pwd:abcdefghijklmnopqrstuvwx
        a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))
        a=rtpmap:\(payloadType) H264/90000
        a=fmtp:\(payloadType) level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f

        """.replacingOccurrences(of: "\n", with: "\r\n")
    }

    @Test("each candidate is a line of RFC 8839 § 5.1, and the port is the one that is listened on")
    func candidates() async throws {
        let room = try await ShareRoom()
        let sdp = try await room.session.answer(offer: Self.offer()).sdp
        let lines = sdp.split(separator: "\r\n").filter { $0.hasPrefix("a=candidate:") }
        #expect(!lines.isEmpty)
        let udp = /a=candidate:[A-Za-z0-9+\/]{1,32} 1 udp [0-9]{1,10} 127\.0\.0\.1 [0-9]{1,5} typ host/
        let tcp = /a=candidate:[A-Za-z0-9+\/]{1,32} 1 tcp [0-9]{1,10} 127\.0\.0\.1 [0-9]{1,5} typ host tcptype passive/
        for line in lines {
            #expect(line.wholeMatch(of: udp) != nil || line.wholeMatch(of: tcp) != nil, "\(line)")
        }
        #expect(lines.count { $0.wholeMatch(of: tcp) != nil } == 1)
        #expect(lines.first?.wholeMatch(of: udp) != nil)
        await room.close()
    }

    @Test("the level is that of the source's own size before anything was encoded", arguments: [false, true])
    func level(isReplaced: Bool) async throws {
        let small = ShareSource.testPattern(width: 640, height: 360)
        var configuration = ShareConfiguration(source: isReplaced ? .testPattern(width: 1920, height: 1080) : small)
        configuration.mode = .detail
        configuration.network.interfaces = ["127.0.0.1"]
        let session = ShareSession(configuration: configuration)
        // So that nothing is made ready for who joins.
        await session.pause()
        try await session.start()
        if isReplaced { try await session.setSource(small) }
        let sdp = try await session.answer(offer: Self.offer()).sdp
        #expect(sdp.contains("profile-level-id=42e01e"), "920 macroblocks, 30 times a second: level 3")
        await session.stop()
    }

    @Test("a bit rate beyond what a share may use says the level of the most that it may", arguments: [100_000_000, Int.max])
    func boundlessLevel(bitrate: Int) async throws {
        var configuration = ShareConfiguration(source: .testPattern(width: 640, height: 360))
        configuration.maximumBitrate = bitrate
        configuration.network.interfaces = ["127.0.0.1"]
        let session = ShareSession(configuration: configuration)
        await session.pause()
        try await session.start()
        let sdp = try await session.answer(offer: Self.offer()).sdp
        #expect(sdp.contains("profile-level-id=42e032"), "100 Mbit/s: level 5")
        await session.stop()
    }

    @Test("so is that of a picture pushed before, and without one it is that of the largest", arguments: [false, true])
    func pushedLevel(isPushed: Bool) async throws {
        let source = CustomVideoSource()
        if isPushed {
            let grey = [UInt8](repeating: 128, count: 640 * 360 * 3 / 2)
            try source.push(grey.span.bytes, format: .i420, width: 640, height: 360, timestamp: .zero)
        }
        var configuration = ShareConfiguration(source: .custom(source))
        configuration.network.interfaces = ["127.0.0.1"]
        let session = ShareSession(configuration: configuration)
        await session.pause()
        try await session.start()
        let sdp = try await session.answer(offer: Self.offer()).sdp
        #expect(sdp.contains("profile-level-id=42e01e") == isPushed)
        await session.stop()
    }

    @Test("a picture that is pushed while nobody watches says the level of who comes next", .timeLimit(.minutes(1)))
    func laterLevel() async throws {
        let source = CustomVideoSource()
        var configuration = ShareConfiguration(source: .custom(source))
        configuration.network.interfaces = ["127.0.0.1"]
        let session = ShareSession(configuration: configuration)
        await session.pause()
        try await session.start()
        let grey = [UInt8](repeating: 128, count: 640 * 360 * 3 / 2)
        try source.push(grey.span.bytes, format: .i420, width: 640, height: 360, timestamp: .zero)
        while await session.encodedSize != PixelSize(width: 640, height: 360) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await session.answer(offer: Self.offer()).sdp.contains("profile-level-id=42e01e"))
        await session.stop()
    }

    @Test("without TCP an answer tells of none")
    func withoutTCP() async throws {
        let room = try await ShareRoom { $0.network.usesTCP = false }
        let sdp = try await room.session.answer(offer: Self.offer()).sdp
        #expect(sdp.contains(" udp ") && !sdp.contains(" tcp "))
        await room.close()
    }

    @Test("a payload type that RTCP could be taken for is not served (RFC 5761 § 4)", arguments: [64, 72, 95])
    func collision(payloadType: Int) async throws {
        let room = try await ShareRoom()
        await #expect(throws: ShareError.self) {
            try await room.session.answer(offer: Self.offer(payloadType: payloadType))
        }
        await room.close()
    }

    /// A viewer's candidate that comes later, of the ICE session with these credentials (RFC 8840 § 9).
    private static func fragment(_ ufrag: String, port: Int = 9) -> String {
        """
        a=group:BUNDLE 0
        m=video 9 UDP/TLS/RTP/SAVPF 0
        a=mid:0
        a=ice-ufrag:\(ufrag)
        a=ice-pwd:abcdefghijklmnopqrstuvwx
        a=candidate:1 1 udp 2130706431 127.0.0.1 \(port) typ host

        """.replacingOccurrences(of: "\n", with: "\r\n")
    }

    @Test("a fragment of the present ICE session restarts nothing, and all stays as it was; another's restarts it once")
    func restarts() async throws {
        let room = try await ShareRoom()
        let viewer = try await room.session.answer(offer: Self.offer()).viewer
        let hub = try #require(await room.session.hub)
        let peer = PeerID(await room.session.lastPeer)
        let before = try #require(await hub.localCredentials(of: peer))
        let nothing = ShareError.malformedDescription("the fragment restarts nothing")
        await #expect(throws: nothing) { try await room.session.restartICE(Self.fragment("abcd"), from: viewer) }
        #expect(await hub.localCredentials(of: peer) == before)
        let answer = try await room.session.restartICE(Self.fragment("efgh"), from: viewer)
        let after = try #require(await hub.localCredentials(of: peer))
        #expect(after != before && answer.contains("a=ice-ufrag:\(after.ufrag)"))
        let head = "a=ice-options:trickle ice2\r\na=group:BUNDLE 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n"
        #expect(answer.hasPrefix(head) && answer.contains("a=candidate:"))
        await #expect(throws: nothing) { try await room.session.restartICE(Self.fragment("efgh"), from: viewer) }
        #expect(await hub.localCredentials(of: peer) == after)
        await room.close()
    }

    @Test("candidates that come late, of the ICE session before a restart, are left out (RFC 8838 § 9)")
    func lateCandidates() async throws {
        let room = try await ShareRoom()
        let viewer = try await room.session.answer(offer: Self.offer()).viewer
        let hub = try #require(await room.session.hub)
        let peer = PeerID(await room.session.lastPeer)
        _ = try await room.session.restartICE(Self.fragment("efgh", port: 40_001), from: viewer)
        try await room.session.addCandidates(Self.fragment("abcd", port: 40_002), from: viewer)
        #expect(await hub.remotePorts(of: peer) == [40_001])
        try await room.session.addCandidates(Self.fragment("efgh", port: 40_003), from: viewer)
        #expect(await hub.remotePorts(of: peer) == [40_001, 40_003])
        await room.close()
    }

    @Test("of sections on transports of their own only the picture's restarts ICE, wherever it stands")
    func unbundledRestarts() async throws {
        let room = try await ShareRoom()
        func sound(_ ufrag: String) -> String {
            "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:1\r\na=ice-ufrag:\(ufrag)\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\n"
        }
        func unbundled(_ text: String) -> String { text.replacingOccurrences(of: "a=group:BUNDLE 0\r\n", with: "") }
        let offer = unbundled(Self.offer()).replacingOccurrences(of: "m=video", with: sound("else") + "m=video")
        let viewer = try await room.session.answer(offer: offer).viewer
        func restarts(_ fragment: String) async -> Bool {
            (try? await room.session.restartICE(fragment, from: viewer)) != nil
        }
        #expect(await !restarts(sound("els2")))
        #expect(await !restarts(sound("els2") + unbundled(Self.fragment("abcd"))))
        #expect(await restarts(sound("els2") + unbundled(Self.fragment("efgh"))))
        #expect(await !restarts(unbundled(Self.fragment("efgh"))))
        await room.close()
    }

    @Test("what the path of a viewer took counts no more once the viewer is sent away")
    func pathOfTheGone() async throws {
        let room = try await ShareRoom()
        let name = try await room.session.answer(offer: Self.offer()).viewer
        let peer = PeerID(await room.session.lastPeer)
        let paths = await room.session.paths
        let fast = PathState(
            pathRate: 4_400_000, bitsPerSecond: 4_000_000, isCongested: false, isStarved: false, isLimited: false)
        let slow = PathState(
            pathRate: 650_000, bitsPerSecond: 500_000, isCongested: true, isStarved: false, isLimited: true)
        _ = paths.update(peer, fast, at: SystemClock.now())
        _ = paths.update(PeerID(4711), slow, at: SystemClock.now())
        #expect(!paths.isCongested(news: false))
        await room.session.remove(name)
        #expect(paths.isCongested(news: false), "the one that is left is all there is")
        await room.close()
    }

    @Test("what waits only to make a picture sharper is in the way of more of that, and of nothing new")
    func yielding() {
        let paths = ViewerPaths()
        let pass = PathState(
            pathRate: 4_400_000, bitsPerSecond: 4_000_000, isCongested: true, yields: true, isStarved: false, isLimited: false)
        let firm = PathState(
            pathRate: 4_400_000, bitsPerSecond: 4_000_000, isCongested: true, isStarved: false, isLimited: false)
        _ = paths.update(PeerID(1), pass, at: SystemClock.now())
        #expect(paths.isCongested(news: false) && paths.isCongested(rung: 0, news: false))
        #expect(!paths.isCongested(news: true) && !paths.isCongested(rung: 0, news: true))
        _ = paths.update(PeerID(2), firm, at: SystemClock.now())
        #expect(!paths.isCongested(news: true), "one of them can be sent it")
        #expect(paths.update(PeerID(1), firm, at: SystemClock.now()) != nil, "the thread of pictures is told")
        #expect(paths.isCongested(news: true) && paths.isCongested(rung: 0, news: true))
    }

    @Test("a path that is only believed to take more sends no other viewer to a slower encoding", arguments: [true, false])
    func believed(isProven: Bool) {
        let paths = ViewerPaths()
        let known = PathState(
            pathRate: 1_700_000, bitsPerSecond: 1_500_000, isCongested: false, isStarved: false, isLimited: true)
        let other = PathState(
            pathRate: 4_400_000, bitsPerSecond: 4_000_000, isCongested: false, isStarved: false, isLimited: false,
            isProven: isProven)
        var moved: [PeerID: Int] = [:]
        for step in 0..<20 {
            for (peer, path) in [(PeerID(1), known), (PeerID(2), other)] {
                let change = paths.update(peer, path, at: .zero + .milliseconds(250 * step))
                moved.merge(change?.moved ?? [:]) { $1 }
            }
        }
        #expect(moved == (isProven ? [PeerID(1): 1] : [:]))
    }

    @Test("sound is to take less of a path that is short of it; of a viewer that is gone nothing is remembered")
    func soundOfThePath() {
        let paths = ViewerPaths()
        let short = PathState(
            pathRate: 300_000, bitsPerSecond: 200_000, isCongested: false, isStarved: false, isLimited: true)
        for beginning in [Instant.zero, Instant.zero + .seconds(100)] {
            let told = (0..<12).compactMap { step in
                paths.update(PeerID(1), short, at: beginning + .milliseconds(250 * step))?.sound?.room
            }
            #expect(told == [32_000])
            _ = paths.update(PeerID(1), nil, at: beginning + .seconds(3))
        }
    }

    @Test("an offer that nobody follows up keeps its place for some seconds, then makes way")
    func unconnected() async throws {
        let room = try await ShareRoom { $0.maximumViewers = 1 }
        let idle = try await room.session.answer(offer: Self.offer()).viewer
        for _ in 0..<2 {
            await #expect(throws: ShareError.full) { try await room.session.answer(offer: Self.offer()) }
            await room.session.age(by: ShareLimits.connecting / 2)
        }
        let next = try await room.session.answer(offer: Self.offer()).viewer
        let viewers = await room.session.statistics().viewers.map(\.viewer)
        #expect(next != idle && viewers == [next])
        for await case .viewerFailed(let departure) in room.session.events {
            #expect(departure == ViewerDeparture(viewer: idle, viewers: 0, reason: .displaced))
            #expect(departure.reason.text == "another needed its place")
            break
        }
        await room.close()
    }

    @Test("a share with as many viewers as one can have says that it is full, however many it was allowed")
    func mostViewers() async throws {
        let room = try await ShareRoom { $0.maximumViewers = .max }
        let hub = try #require(await room.session.hub)
        let setup = PeerSetup(iceRole: .controlling, handshakeRole: .active)
        var other = PeerID(1_000_000)
        while (try? await hub.add(other, setup, lane: nil)) != nil { other = PeerID(other.value + 1) }
        await #expect(throws: ShareError.full) { try await room.session.answer(offer: Self.offer()) }
        await #expect(throws: ShareError.full) { try await room.session.counterOffer() }
        #expect(await room.session.viewerNames.isEmpty)
        await room.close()
        for await case .viewerFailed in room.session.events { Issue.record("the error has told of it") }
    }
}

extension ShareSession {
    /// All viewers have been there for longer.
    fileprivate func age(by time: Duration) { viewers = viewers.mapValues { $0.aged(by: time) } }
}

extension ShareSession.Viewer {
    fileprivate func aged(by time: Duration) -> Self {
        var viewer = self
        viewer.since = since - time
        return viewer
    }
}

extension PeerHub {
    /// Where a viewer says that it is.
    fileprivate func remotePorts(of id: PeerID) -> [UInt16] {
        peers[id]?.core.ice.session.candidates.all.compactMap { $0.address.transportAddress?.port } ?? []
    }
}
