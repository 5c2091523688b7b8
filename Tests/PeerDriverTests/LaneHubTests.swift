import NIOConcurrencyHelpers
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

/// A sharer's hub on loopback, and one for each of its viewers.
@Suite("A hub's lanes", .timeLimit(.minutes(1)))
struct LaneHubTests {
    private static let slower = LaneKey(packetizationMode: .nonInterleaved, rung: 1)

    private enum KeyframeNews: Hashable, Sendable {
        case needed(LaneKey), needless(LaneKey)
    }

    /// A sharer's hub, which tells who has connected, and of the keyframes that its viewers need.
    private func sharerHub(
        _ connected: AsyncStream<PeerID>.Continuation, _ news: NIOLockedValueBox<[KeyframeNews]>
    ) async throws -> PeerHub {
        var configuration = HubConfiguration.loopback(name: 9)
        configuration.onEvent = { id, lane, event in
            switch (event, lane) {
            case (.connected, _): connected.yield(id)
            case (.keyframeNeeded, let lane?): news.withLockedValue { $0.append(.needed(lane)) }
            case (.keyframeNeedless, let lane?): news.withLockedValue { $0.append(.needless(lane)) }
            default: break
            }
        }
        return try await PeerHub.opened(configuration)
    }

    /// A viewer's hub, which connects; its security has the name of the viewer.
    private func join(_ sharer: PeerHub, as name: UInt8, _ lane: LaneKey) async throws -> PeerHub {
        let viewer = try await PeerHub.opened(.loopback(name: name))
        let send = SendParameters(
            payloadType: 102, ssrc: 0xAAAA, retransmission: nil, canonicalName: "sharer", mid: nil,
            extensions: ExtensionMap(), bitsPerSecond: 4_000_000)
        try await sharer.meet(viewer, as: PeerID(UInt64(name)), send: send, lane: lane)
        return viewer
    }

    private func unit(_ index: Int64, packets: Int, isKeyframe: Bool = false, isReference: Bool = true) -> PacketizedUnit {
        PacketizedUnit(
            bytes: [UInt8](repeating: 1, count: packets * 1000), payloads: (0..<packets).map { $0 * 1000..<($0 + 1) * 1000 },
            mediaTime: MediaTime(ticks: index * 3000), capturedAt: .zero, isKeyframe: isKeyframe, isReference: isReference)
    }

    private func packets(of sharer: PeerHub, to id: PeerID) async -> Int {
        await sharer.statistics(of: id)?.outgoing?.packetsSent ?? -1
    }

    @Test("who is moved to a lane that others watch is sent what they have: no keyframe is asked for, nor the one of before any more")
    func moved() async throws {
        let (connected, sink) = AsyncStream.makeStream(of: PeerID.self)
        let news = NIOLockedValueBox<[KeyframeNews]>([])
        let sharer = try await sharerHub(sink, news)
        let (other, moved) = (PeerID(1), PeerID(2))
        let viewers = [try await join(sharer, as: 1, .standard), try await join(sharer, as: 2, Self.slower)]
        var missing: Set = [other, moved]
        for await id in connected {
            missing.remove(id)
            if missing.isEmpty { break }
        }
        await sharer.deliver(unit(0, packets: 3, isKeyframe: true), lane: Self.slower)
        await sharer.deliver(unit(0, packets: 10, isKeyframe: true), lane: .standard)
        for index in 1...3 as ClosedRange<Int64> { await sharer.deliver(unit(index, packets: 6), lane: .standard) }
        let before = await sharer.statistics(of: moved)?.outgoing?.packetsSent ?? 0
        #expect(before > 0)
        await sharer.forgetCache(of: Self.slower)
        await sharer.askForPicture(moved)
        await sharer.deliver(unit(4, packets: 1, isReference: false), lane: Self.slower)
        #expect(news.withLockedValue { $0.last } == .needed(Self.slower))

        news.withLockedValue { $0 = [] }
        await sharer.setLane(.standard, of: moved)
        #expect(news.withLockedValue { $0 } == [.needless(Self.slower)])
        #expect(await sharer.awaited.isEmpty)
        let after = await sharer.statistics(of: moved)?.outgoing?.packetsSent ?? 0
        #expect(after > before, "it need not wait")
        for hub in viewers + [sharer] { await hub.close() }
    }

    /// Why what a lane showed is not to be seen any more.
    enum Past: CaseIterable, Sendable {
        case lastViewerLeft, lastViewerMoved, sourceChanged
        /// A keyframe was on its way from the encoder.
        case lastViewerLeftMidway
    }

    @Test("who joins a lane that nobody watched, or behind another source, is sent nothing of before, but waits for a keyframe",
        arguments: Past.allCases)
    func joinsBehind(past: Past) async throws {
        let (connected, sink) = AsyncStream.makeStream(of: PeerID.self)
        var joined = connected.makeAsyncIterator()
        let news = NIOLockedValueBox<[KeyframeNews]>([])
        let sharer = try await sharerHub(sink, news)
        let (before, joiner) = (PeerID(1), PeerID(2))
        let first = try await join(sharer, as: 1, .standard)
        _ = await joined.next()
        await sharer.deliver(unit(0, packets: 3, isKeyframe: true), lane: .standard)
        #expect(await packets(of: sharer, to: before) > 0)

        switch past {
        case .lastViewerLeft: await sharer.remove(before)
        case .lastViewerMoved: await sharer.setLane(Self.slower, of: before)
        case .sourceChanged: await sharer.forgetCaches()
        case .lastViewerLeftMidway:
            await sharer.remove(before)
            await sharer.deliver(unit(0, packets: 3, isKeyframe: true), lane: .standard)
        }
        news.withLockedValue { $0 = [] }
        let second = try await join(sharer, as: 2, .standard)
        _ = await joined.next()
        // Behind what the hub was doing when it told of the joiner.
        #expect(await packets(of: sharer, to: joiner) == 0)
        #expect(news.withLockedValue { $0.contains(.needed(.standard)) })
        await sharer.deliver(unit(1, packets: 3, isKeyframe: true), lane: .standard)
        #expect(await packets(of: sharer, to: joiner) > 0)
        for hub in [first, second, sharer] { await hub.close() }
    }
}

extension PeerHub {
    fileprivate func askForPicture(_ id: PeerID) { peers[id]?.wish.ask() }
}
