import Logging
import SignalingClient
import Testing

@testable import ScreenShare

@Suite("What a sharer is told of a server that is lost", .timeLimit(.minutes(1)))
struct LostSignalingTests {
    /// A session that only its room holds, at a server that is not there.
    private func publish() throws -> (PublishedRoom, AsyncStream<ShareEvent>) {
        let logger = Logger(label: "test")
        let session = ShareSession(configuration: ShareConfiguration(source: .custom(CustomVideoSource())), logger: logger)
        let publication = RoomPublication(server: "http://127.0.0.1:9", room: "demo")
        let client = SharerClient(try publication.configuration(), logger: logger)
        let room = PublishedRoom(session: session, client: client, publication: publication, logger: logger)
        return (room, session.events)
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
        var losses: [RoomLoss] = []
        reading: for await event in events {
            switch event {
            case .roomLost(let loss): losses.append(loss)
            case .roomFound(let found):
                #expect(found == RoomReturn(room: "demo", server: "http://127.0.0.1:9"))
                break reading
            default: Issue.record("\(event)")
            }
        }
        try #require(losses.count == 2, "\(losses)")
        #expect(losses.allSatisfy { $0.room == "demo" && $0.server == "http://127.0.0.1:9" })
        #expect(losses[0].reason == "somebody else is sharing in this room")
        #expect(losses[0].error == .roomTaken(retryAfter: .seconds(4)))
        #expect(losses[1].reason == "the signaling server cannot be reached: it didn't answer in time")
        #expect(losses[1].error == .unavailable("http://127.0.0.1:9: \(losses[1].reason)", retryAfter: .seconds(1)))
    }
}
