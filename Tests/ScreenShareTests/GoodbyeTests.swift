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
        var reason: String?
        for await event in room.session.events {
            if case .viewerJoined(let name, _) = event { isSentAway ? await room.session.remove(name) : await viewer.stop() }
            if case .viewerLeft(_, _, let words) = event { reason = words }
            if reason != nil { break }
        }
        // Its connection and its session end each by itself.
        let words = isSentAway ? ["it was sent away"] : ["closed by the other side", "it said goodbye"]
        #expect(words.contains(try #require(reason)))
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
}
