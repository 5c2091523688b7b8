import SignalingProtocol
import Testing

@testable import SignalingClient

@Suite("What waits for the other side", .timeLimit(.minutes(1)))
struct HeldRequestTests {
    @Test("Twenty viewers in the sharer's own process join and begin ICE anew at once, and its answers pass by them")
    func allAtOnce() async throws {
        let server = try await RunningServer.start()
        let address = try ServerAddress("http://127.0.0.1:\(server.port)")
        let room = try #require(RoomName("demo"))
        let sharer = SharerClient(.init(server: address, room: room), logger: .silent)
        let running = Task { await sharer.run() }
        var events = sharer.events.makeAsyncIterator()
        #expect(await events.next() == .connected(resumed: false))

        let viewer = try WHEPClient(endpoint: ServerAddress.whepEndpoint(of: room.description, at: address.description))
        let joins = (0..<20).map { _ in Task { try await viewer.join(offer: Samples.offer) } }
        var offers: [RandomID] = []
        // Nobody is answered before all wait.
        while offers.count < joins.count, case .offer(let id, _)? = await events.next() { offers.append(id) }
        try #require(offers.count == joins.count)
        for id in offers { try await sharer.answer(id, sdp: Samples.answer) }
        var sessions: [WHEPSession] = []
        for join in joins {
            guard case .answered(let session, _) = try await join.value else { Issue.record("no answer"); return }
            sessions.append(session)
        }

        let restarts = sessions.map { session in Task { try await session.restart(Samples.restart) } }
        var asked: [(session: RandomID, tag: EntityTag)] = []
        while asked.count < restarts.count, case .restart(let id, _, let tag)? = await events.next() {
            asked.append((id, tag))
        }
        try #require(asked.count == restarts.count)
        for (id, tag) in asked { try await sharer.answerRestart(id, tag: tag, fragment: Samples.restartReply) }
        for restart in restarts { #expect(try await restart.value.fragment == Samples.restartReply) }

        await sharer.end()
        await running.value
        try await server.stop()
    }
}
