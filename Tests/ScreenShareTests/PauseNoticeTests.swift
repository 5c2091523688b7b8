import Testing

@testable import ScreenShare

@Suite("What a viewer hears of a pause", .serialized, .timeLimit(.minutes(1)))
struct PauseNoticeTests {
    @Test("who has seen something is told that the share is paused, and that it goes on")
    func watching() async throws {
        let room = try await ShareRoom()
        let painting = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var heard: [String] = []
        for await event in viewer.events {
            switch event {
            case .firstPicture: await room.session.pause()
            case .notice(let text):
                heard.append(text)
                if heard.count == 1 { await room.session.resume() } else { Task { await viewer.stop() } }
            case .ended(let error): #expect(error == nil)
            case .waiting, .connecting, .connected, .disconnected, .pathNarrow, .pathRecovered: break
            }
        }
        #expect(heard == ["The share is paused.", "The share goes on."])
        painting.cancel()
        await room.close()
    }
}
