import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Measuring the way to the server", .timeLimit(.minutes(1)))
struct RateTests {
    private static let path = "/v1/rooms/demo/rate"
    private static let bytes = BodyType.bytes.rawValue

    @Test(
        "as many bytes as are asked for come, of which none tells the next; 64 KiB unless asked",
        arguments: [1, 70_000, 1 << 20])
    func down(_ count: Int) async throws {
        try await Bench.run { bench in
            let response = try await bench.send(.get, "\(Self.path)?bytes=\(count)")
            #expect(response.status == .ok && response.headers[.contentType] == Self.bytes)
            #expect(response.body.readableBytes == count)
            let usual = try await bench.send(.get, Self.path)
            #expect(usual.body.readableBytes == 64 * 1024)
            // Nothing on the way could make them smaller: each value comes about as often as the others.
            let often = usual.body.readableBytesView.reduce(into: [Int](repeating: 0, count: 256)) { $0[Int($1)] += 1 }
            #expect(often.allSatisfy { (128...400).contains($0) })
        }
    }

    @Test("no more than a MiB at once, in numbers", arguments: ["0", "-1", "1048577", "x", "", "99999999999999999999"])
    func largest(_ count: String) async throws {
        try await Bench.run { bench in
            try await bench.send(.get, "\(Self.path)?bytes=\(count)").problem(.malformedRequest)
        }
    }

    @Test("how many are asked for, and how many may be, stands in the OpenAPI document")
    func documented() async throws {
        try await Bench.run { bench in
            let text = try await bench.send(.get, "/openapi.json").text
            #expect(text.contains(##""parameters":[{"$ref":"#/components/parameters/bytes"}]"##))
            #expect(text.contains(#""schema":{"maximum":1048576,"minimum":1,"type":"integer"}"#))
        }
    }

    @Test("a MiB is taken, and a byte more is not")
    func up() async throws {
        try await Bench.run { bench in
            let most = String(repeating: "a", count: 1 << 20)
            #expect(try await bench.send(.put, Self.path, type: Self.bytes, body: most).status == .noContent)
            try await bench.send(.put, Self.path, type: Self.bytes, body: most + "a").problem(.contentTooLarge)
            try await bench.send(.put, Self.path, type: "text/plain", body: "a").problem(.unsupportedMediaType)
        }
    }

    @Test("sixteen at once from all callers together, then one a second; nothing is kept of a room")
    func limit() async throws {
        try await Bench.run { bench in
            for number in 0..<16 {
                #expect(try await bench.send(.get, "/v1/rooms/room\(number)/rate?bytes=1").status == .ok)
            }
            let refused = try await bench.send(.get, Self.path)
            refused.problem(.tooManyRequests)
            #expect(refused.headers[.retryAfter] == "1")
            try await bench.send(.put, Self.path, type: Self.bytes, body: "a").problem(.tooManyRequests)
            bench.clock.advance(by: .seconds(1))
            #expect(try await bench.send(.put, Self.path, type: Self.bytes, body: "a").status == .noContent)
            try await bench.send(.get, Self.path).problem(.tooManyRequests)
            #expect(await bench.routes.store.rooms.isEmpty)
        }
    }

    @Test("who may not share in a room measures nothing there, and takes nothing from those who may")
    func rules() async throws {
        try await Bench.run {
            $0.policy = { room in
                switch room.description {
                case "closed": nil
                case "guarded": RoomPolicy(sharerToken: BearerToken("sesame"))
                default: .open
                }
            }
        } _: { bench in
            for _ in 0..<20 {
                try await bench.send(.get, "/v1/rooms/closed/rate").problem(.sharingNotAllowed)
                try await bench.send(.get, "/v1/rooms/guarded/rate").problem(.tokenRequired)
                try await bench.send(.get, "/v1/rooms/guarded/rate", token: "x").problem(.tokenRejected)
            }
            #expect(try await bench.send(.get, "/v1/rooms/guarded/rate", token: "sesame").status == .ok)
        }
    }

    @Test("no page of another origin measures anything")
    func origins() async throws {
        try await Bench.run {
            $0.allowedOrigins = ["https://player.example.org"]
            $0.viewersFromAnyOrigin = true
        } _: { bench in
            for method in [HTTPRequest.Method.get, .put] {
                let response = try await bench.send(
                    method, Self.path, type: Self.bytes, fields: [.origin: "http://evil.example"], body: "a")
                response.problem(.originNotAllowed)
                #expect(response.headers[.accessControlAllowOrigin] == nil)
            }
        }
    }
}
