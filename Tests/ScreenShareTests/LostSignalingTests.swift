import Logging
import SignalingClient
import SignalingProtocol
import Testing

@testable import ScreenShare

@Suite("What a sharer is told of a server that is lost", .timeLimit(.minutes(1)))
struct LostSignalingTests {
    /// A session that only its room holds, at a server that is not there.
    private func publish() throws -> (PublishedRoom, AsyncStream<ScreenShare.ShareEvent>) {
        let logger = Logger(label: "test")
        let session = ShareSession(configuration: ShareConfiguration(source: .custom(CustomVideoSource())), logger: logger)
        let client = SharerClient(
            .init(server: try ServerAddress("http://127.0.0.1:9"), room: try #require(RoomName("demo"))), logger: logger)
        return (PublishedRoom(session: session, client: client, logger: logger), session.events)
    }

    @Test("a room that was given back lets its session go, though the room is held on")
    func letsGo() async throws {
        let (room, events) = try publish()
        await room.end()
        for await _ in events {}
        await room.end()
    }

    @Test("a reason is told once, however often the server is asked again and whatever time it names")
    func once() async throws {
        let (room, events) = try publish()
        for seconds in [4, 5, 4, 5] {
            let time = Duration.seconds(seconds)
            await room.take(.disconnected(.roomTaken(retryAfter: time), retryAfter: time))
        }
        await room.take(.disconnected(.unreachable(.timeout), retryAfter: .seconds(1)))
        await room.take(.connected(resumed: true))
        var notices: [String] = []
        for await event in events {
            guard case .notice(let text) = event else { continue }
            notices.append(text)
            if text.hasSuffix("is there again.") { break }
        }
        try #require(notices.count == 3, "\(notices)")
        #expect(notices[0].contains("somebody else is sharing in this room"))
        #expect(notices[1].contains("it didn't answer in time"))
    }
}
