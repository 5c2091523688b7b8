import Logging
import SignalingClient
import SignalingProtocol
import Testing

@testable import ScreenShare

@Suite("What a sharer is told of a server that is lost", .timeLimit(.minutes(1)))
struct LostSignalingTests {
    @Test("a reason is told once, however often the server is asked again and whatever time it names")
    func once() async throws {
        let logger = Logger(label: "test")
        let session = ShareSession(configuration: ShareConfiguration(source: .custom(CustomVideoSource())), logger: logger)
        let client = SharerClient(
            .init(server: try ServerAddress("http://127.0.0.1:9"), room: try #require(RoomName("demo"))), logger: logger)
        let room = PublishedRoom(session: session, client: client, logger: logger)
        for seconds in [4, 5, 4, 5] {
            let time = Duration.seconds(seconds)
            await room.take(.disconnected(.roomTaken(retryAfter: time), retryAfter: time))
        }
        await room.take(.disconnected(.unreachable(.timeout), retryAfter: .seconds(1)))
        await room.take(.connected(resumed: true))
        var notices: [String] = []
        for await event in session.events {
            guard case .notice(let text) = event else { continue }
            notices.append(text)
            if text.hasSuffix("is there again.") { break }
        }
        try #require(notices.count == 3, "\(notices)")
        #expect(notices[0].contains("somebody else is sharing in this room"))
        #expect(notices[1].contains("it didn't answer in time"))
    }
}
