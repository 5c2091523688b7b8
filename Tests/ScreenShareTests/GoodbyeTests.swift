import Testing

@testable import ScreenShare

@Suite("What a sharer hears of who leaves", .serialized, .timeLimit(.minutes(1)))
struct GoodbyeTests {
    @Test("the reason of who says goodbye says more than that it left")
    func goodbye() async throws {
        let room = try await ShareRoom()
        let painting = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var reason: String?
        for await event in room.session.events {
            if case .viewerJoined(let name, _) = event { await room.session.remove(name) }
            if case .viewerLeft(_, _, let words) = event { reason = words }
            if reason != nil { break }
        }
        #expect(reason == "it said goodbye")
        await viewer.stop()
        painting.cancel()
        await room.close()
    }
}
