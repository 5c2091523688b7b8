import NIOConcurrencyHelpers
import SignalingProtocol
import Testing

@testable import SignalingClient

@Suite("Registering again", .timeLimit(.minutes(1)))
struct RegistrationTests {
    /// Two numberings of one share's events.
    private static let epochs = ["11111111111111111111111111111111", "22222222222222222222222222222222"]
    private static let session = "00112233445566778899aabbccddeeff"
    private static let other = "ffeeddccbbaa99887766554433221100"

    private static func receipt(resumed: Bool, epoch: String) -> String {
        let body = """
            {"shareId":"0123456789abcdef0123456789abcdef","secret":"fedcba9876543210fedcba9876543210",\
            "resumed":\(resumed),"epoch":"\(epoch)","eventsUrl":"/events","heartbeatSeconds":5,"silenceSeconds":5}
            """
        return ScriptedServer.answer(201, ["Content-Type": "application/json"], body)
    }

    private static func event(_ number: Int, _ name: String, _ data: String) -> String {
        "id: \(number)\nevent: \(name)\ndata: \(data)\n\n"
    }

    private func makeSharer(_ port: Int) throws -> SharerClient {
        let server = try ServerAddress("http://127.0.0.1:\(port)")
        return SharerClient(.init(server: server, room: try #require(RoomName("demo"))), logger: .silent)
    }

    @Test("Events of a share that was made anew are taken, also where the receipt that said so got lost")
    func lostReceipt() async throws {
        let registrations = NIOLockedValueBox(0)
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS":
                let count = registrations.withLockedValue { $0 += 1; return $0 }
                // At the second the share is made anew, and a proxy loses the receipt.
                if count == 2 { return ScriptedServer.answer(502) }
                return Self.receipt(resumed: count > 1, epoch: Self.epochs[count == 1 ? 0 : 1])
            case "GET":
                let isFirst = registrations.withLockedValue(\.self) == 1
                let left = #"{"sessionId":"\#(isFirst ? Self.session : Self.other)"}"#
                let stream = Self.event(isFirst ? 500 : 1, "left", left)
                return ScriptedServer.answer(200, ["Content-Type": "text/event-stream"], stream)
            default: return ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var told: [String] = []
            var connections = 0
            for await event in sharer.events {
                if case .left(let session) = event { told.append(session.text) }
                if case .connected = event { connections += 1 }
                if connections == 4 { break }
            }
            running.cancel()
            await running.value
            #expect(told == [Self.session, Self.other], "what comes again after that is told once")
            let streams = server.requests.filter { $0.line.hasPrefix("GET") }
            #expect(streams.prefix(3).map { $0.field("Last-Event-ID") } == [nil, nil, "1"])
            let acknowledgements = server.requests.filter { $0.body.contains("\"seen\":500") }
            #expect(acknowledgements.allSatisfy { $0.body.contains(Self.epochs[0]) })
        }
    }
}
