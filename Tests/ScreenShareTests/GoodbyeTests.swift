import Media
import PeerCore
import PeerDriver
import Testing

@testable import ScreenShare

@Suite("What a sharer hears of who leaves", .serialized, .timeLimit(.minutes(1)))
struct GoodbyeTests {
    @Test("the reason of who says goodbye, or is sent away, says so", arguments: [false, true])
    func goodbye(isSentAway: Bool) async throws {
        let room = try await ShareRoom()
        let painting = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var left: ViewerDeparture?
        for await event in room.session.events {
            if case .viewerJoined(let arrival) = event {
                isSentAway ? await room.session.remove(arrival.viewer) : await viewer.stop()
            }
            if case .viewerLeft(let departure) = event { left = departure }
            if left != nil { break }
        }
        // Its connection and its session end each by itself.
        let words = isSentAway ? ["it was sent away"] : ["closed by the other side", "it said goodbye"]
        let departure = try #require(left)
        #expect(words.contains(departure.reason.text) && departure.viewers == 0)
        #expect(departure.reason.kind == (isSentAway ? .removed : .closed))
        await viewer.stop()
        painting.cancel()
        await room.close()
    }

    @Test("a viewer whose session nobody holds any more leaves, as one that is stopped does")
    func dropped() async throws {
        let room = try await ShareRoom()
        var viewer: ViewSession? = room.viewer()
        let heard = viewer?.events
        await viewer?.start()
        for await event in room.session.events {
            if case .viewerJoined = event { viewer = nil }
            if case .viewerLeft = event { break }
        }
        var last: ViewEvent?
        for await event in try #require(heard) { last = event }
        #expect(last == .ended(nil))
        await room.close()
    }

    @Test("a viewer that was answered and did not connect is told of, and why it did not", arguments: [false, true])
    func unconnected(isSentAway: Bool) async throws {
        let room = try await ShareRoom()
        let viewer = try await room.session.answer(offer: AnswerTests.offer()).viewer
        let peer = PeerID(await room.session.lastPeer)
        if isSentAway {
            await room.session.remove(viewer)
        } else {
            await room.session.handle(.peer(peer, .disconnected(.handshake(.fingerprintMismatch))))
        }
        for await event in room.session.events {
            guard case .viewerFailed(let departure) = event else { continue }
            #expect(departure.viewer == viewer)
            #expect(departure.reason.kind == (isSentAway ? .removed : .handshakeFailed))
            let words = isSentAway ? "it was sent away" : "its certificate is not the one it announced"
            #expect(departure.reason.text == words)
            break
        }
        await room.close()
    }

    @Test("so is one whose answer can't be used")
    func unusable() async throws {
        let room = try await ShareRoom()
        let viewer = try await room.session.counterOffer().viewer
        await #expect(throws: ShareError.self) { try await room.session.accept(answer: "", from: viewer) }
        await room.close()
        var failed: [ViewerDeparture] = []
        for await case .viewerFailed(let departure) in room.session.events { failed.append(departure) }
        #expect(failed == [ViewerDeparture(viewer: viewer, viewers: 0, reason: .unusableAnswer)])
    }

    @Test("a program can tell one that is gone from one that may come back, or could not come", arguments: [
        (.closedByPeer, .closed), (.handshake(.closed), .closed), (.consentExpired, .consentExpired),
        (.unreachable, .unreachable), (.handshake(.noCommonProfile), .handshakeFailed),
        (.handshake(.failed("x")), .handshakeFailed), (.protection(.exhausted), .protectionFailed),
    ] as [(DisconnectReason, ViewerDeparture.Reason.Kind)])
    func kinds(reason: DisconnectReason, kind: ViewerDeparture.Reason.Kind) {
        #expect(ViewerDeparture.Reason(reason).kind == kind)
    }

    @Test("a share that is stopping answers nobody, and makes no offers: nobody would be there to connect to")
    func stopping() async throws {
        let room = try await ShareRoom()
        await room.session.beginEnd()
        let notRunning = ShareError.invalid("the session is not running")
        await #expect(throws: notRunning) { try await room.session.answer(offer: AnswerTests.offer()) }
        await #expect(throws: notRunning) { try await room.session.counterOffer() }
        #expect(await room.session.viewerNames.isEmpty)
        await room.close()
    }

    @Test("nobody joins or leaves a share that has stopped: that comes last")
    func stopped() async throws {
        let room = try await ShareRoom()
        _ = try await room.session.answer(offer: AnswerTests.offer())
        let peer = PeerID(await room.session.lastPeer)
        await room.session.beginEnd()
        await room.session.handle(.peer(peer, .connected))
        await room.session.handle(.peer(peer, .disconnected(.closedByPeer)))
        #expect(await room.session.viewerNames.isEmpty)
        await room.close()
        for await event in room.session.events {
            switch event {
            case .viewerJoined, .viewerLeft, .viewerFailed: Issue.record("\(event)")
            default: break
            }
        }
    }

    @Test("nor is anything else told of it, whatever its threads, its room and its owner still say")
    func silent() async throws {
        let room = try await ShareRoom()
        await room.session.beginEnd()
        await room.session.handle(.video(.hidden("gone")))
        await room.session.handle(.video(.notice("late")))
        await room.session.handle(.audio(.lost(.system, "gone")))
        await room.session.setMuted(true, for: .system)
        await room.session.tell(.roomFound(RoomReturn(room: "demo", server: room.address)))
        await room.close()
        for await event in room.session.events {
            if case .stateChanged = event { continue }
            Issue.record("\(event)")
        }
    }
}

extension ShareSession {
    /// As far as it is while its threads end.
    fileprivate func beginEnd() { state = .stopped(nil) }
}
