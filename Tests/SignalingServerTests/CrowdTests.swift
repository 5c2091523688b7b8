import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Strangers who take places", .timeLimit(.minutes(1)))
struct CrowdTests {
    @Test("Offers that nobody answers in one room keep nobody out of another: the one that waits longest makes place")
    func pendingElsewhere() async throws {
        try await Bench.run { $0.maxPendingSessions = 4 } _: { bench in
            let silent = try await bench.share("silent")
            let events = try await silent.listen()
            let sharer = try await bench.share()
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                var waiting: [RandomID] = []
                for _ in 0..<4 {
                    group.addTask { try await bench.join("silent") }
                    waiting.append(try await events.next(SessionOffer.self).sessionId)
                    bench.clock.advance(by: .milliseconds(1))
                }
                try await bench.join("silent").problem(.serverBusy)
                _ = try await bench.joined(sharer)
                try await group.next()?.problem(.serverBusy)
                #expect(try await events.next(SessionLeft.self).sessionId == waiting[0])
                #expect(await bench.routes.store.rooms[RoomName("silent") ?? .demo]?.share?.pendingSessions == 3)
                group.cancelAll()
            }
        }
    }
}
