import Logging
import SignalingClient
import SignalingProtocol
import Testing

@testable import ScreenShare

@Suite("How long a viewer waits", .serialized, .timeLimit(.minutes(1)))
struct PatienceTests {
    /// Another room of the same server, whose sharer does with each offer what a test says.
    private func otherRoom(beside room: ShareRoom) throws -> (sharer: SharerClient, viewer: ViewSession) {
        let name = try #require(RoomName("other"))
        let configuration = SharerClient.Configuration(server: try ServerAddress(room.address), room: name)
        let sharer = SharerClient(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var viewing = ViewConfiguration(server: room.address, room: name.description)
        viewing.network.interfaces = ["127.0.0.1"]
        viewing.patience = .seconds(1)
        return (sharer, ViewSession(configuration: viewing))
    }

    private func events(of viewer: ViewSession) async -> [ViewEvent] {
        await viewer.start()
        var events: [ViewEvent] = []
        for await event in viewer.events { events.append(event) }
        return events
    }

    @Test("an offer that nobody answers is waited for as long as there is patience, not as long as the server waits")
    func unanswered() async throws {
        let room = try await ShareRoom()
        let (sharer, viewer) = try otherRoom(beside: room)
        try await sharer.connect()
        let last = await events(of: viewer).last
        let words = "the signaling server cannot be reached: it didn't answer in time"
        #expect(last == .ended(.unavailable(words, retryAfter: .seconds(1))))
        await sharer.end()
        await room.close()
    }

    @Test("a connection that does not come about is waited for until the patience ends")
    func unconnected() async throws {
        let room = try await ShareRoom { $0.network.usesTCP = false }
        let (sharer, viewer) = try otherRoom(beside: room)
        try await sharer.connect()
        let running = Task { await sharer.run() }
        let answering = Task {
            for await case .offer(let id, let sdp) in sharer.events {
                let answer = try await room.session.answer(offer: sdp)
                // Nobody is there any more when the viewer looks for it.
                await room.session.remove(answer.viewer)
                try await sharer.answer(id, sdp: answer.sdp)
            }
        }
        let events = await events(of: viewer)
        #expect(!events.contains(.connected))
        #expect(events.last == .ended(.network("the sharer can't be reached: not connected")))
        await sharer.end()
        await running.value
        answering.cancel()
        await room.close()
    }

    @Test("a patience and a duration that no clock can count to are as good as none")
    func endless() async throws {
        let room = try await ShareRoom()
        let painting = room.paint()
        var configuration = ViewConfiguration(server: room.address, room: ShareRoom.name)
        configuration.network.interfaces = ["127.0.0.1"]
        configuration.patience = .seconds(Int64.max)
        configuration.duration = .seconds(Int64.max)
        let viewer = ViewSession(configuration: configuration)
        await viewer.start()
        var units = 0
        for await _ in viewer.units {
            units += 1
            if units == 3 { break }
        }
        #expect(units == 3)
        await viewer.stop()
        painting.cancel()
        await room.close()
    }

    @Test("no time is longer than can be slept for, and none is below zero")
    func bounds() throws {
        var configuration = ViewConfiguration(server: "http://127.0.0.1:8080", room: "demo")
        #expect(configuration.bounded.patience == nil && configuration.bounded.duration == nil)
        let extremes = [Duration.seconds(Int64.max), Duration(attoseconds: .max), Duration(attoseconds: .min)]
        for time in [.zero, .seconds(7)] + extremes {
            (configuration.patience, configuration.duration) = (time, time)
            let bounded = configuration.bounded
            let possible = max(.zero, min(time, ViewLimits.longestWait))
            #expect(bounded.patience == possible && bounded.duration == possible)
        }
    }
}
