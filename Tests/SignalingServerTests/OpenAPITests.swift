import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("The OpenAPI document is true", .timeLimit(.minutes(1)))
struct OpenAPITests {
    private let routes = SignalingRoutes(logger: .silent).routes
    private static let session = "ffffffffffffffffffffffffffffffff"

    @Test("Every route is in the document with just its statuses, every reference leads somewhere, every id is its own")
    func complete() async throws {
        try await Bench.run { bench in
            let response = try await bench.send(.get, "/openapi.json")
            #expect(response.headers[.contentType] == "application/json")
            let document = try response.decode(OpenAPI.self)
            #expect(document.openapi == "3.1.0")
            #expect(Set(document.paths.keys) == Set(routes.map(\.path)))
            var ids: [String] = []
            for route in routes {
                let operation = try #require(document.operation(route), "\(route.method) \(route.path)")
                let statuses = route.documentation.successes.map(\.status) + route.problems.map(\.status)
                #expect(Set(operation.responses.keys) == Set(statuses.map(String.init)))
                ids.append(operation.operationId)
            }
            #expect(Set(ids).count == ids.count)
            for reference in response.text.split(separator: "\"#/components/").dropFirst() {
                let parts = reference.prefix { $0 != "\"" }.split(separator: "/").map(String.init)
                let names = parts[0] == "schemas" ? document.components.schemas : document.components.parameters
                #expect(names[parts[1]] != nil, "\(parts)")
            }
        }
    }

    @Test("Methods that aren't in the document are refused at every address, with the ones that are")
    func otherMethods() async throws {
        try await Bench.run { bench in
            for (path, here) in Dictionary(grouping: routes, by: \.path) {
                let methods = here.map(\.method)
                for method in SignalingRoutes.methods where !methods.contains(method) {
                    let response = try await bench.send(method, concrete(path))
                    // A HEAD is answered without a body.
                    if method == .head { response.problem(at: .methodNotAllowed) } else { response.problem(.methodNotAllowed) }
                    #expect(response.headers[.allow] == methods.map(\.rawValue).sorted().joined(separator: ", "))
                }
            }
        }
    }

    @Test("Every status and problem in the document is met, and no other is")
    func outcomes() async throws {
        let recorder = Recorder(routes)
        try await everyRoute(recorder)
        try await sharing(recorder)
        try await viewing(recorder)
        try await sessions(recorder)
        try await failedRestarts(recorder)
        try await endings(recorder)
        try await pages(recorder)
        try await busy(recorder)
        try await measuring(recorder)
        try await wire(recorder)
        let documented = Recorder.documented(routes)
        let missing = documented.subtracting(recorder.all).map(\.description).sorted()
        let extra = recorder.all.subtracting(documented).map(\.description).sorted()
            .filter { !$0.hasSuffix(": method-not-allowed") }
        #expect(missing.isEmpty, "documented and never met")
        #expect(extra.isEmpty, "met and not documented")
    }

    // MARK: What happens

    private func concrete(_ path: String) -> String {
        path.replacing("{room}", with: "demo").replacing("{shareId}", with: Self.session)
            .replacing("{sessionId}", with: Self.session).replacing("{file}", with: "page.js")
    }

    private func everyRoute(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { bench in
            for route in routes {
                if route.path.contains("{room}") {
                    _ = try await bench.send(route.method, concrete(route.path).replacing("demo", with: "a%20b"))
                }
                if route.method == .options { _ = try await bench.send(.options, concrete(route.path)) }
                if route.isGuarded {
                    _ = try await bench.send(
                        route.method, concrete(route.path), fields: [.origin: "http://evil.example"])
                }
            }
            // Bodies of the wrong type, and too large, where everything else is right.
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            for route in routes where !route.documentation.body.isEmpty {
                let path = concrete(route.path).replacing(
                    "share/\(Self.session)", with: "share/\(sharer.receipt.shareId.text)")
                let target = route.method == .patch ? viewer.path : path
                let large = String(repeating: "a", count: Limits.registration + 1)
                for type in ["text/plain", route.documentation.body[0].mediaType] {
                    _ = try await bench.send(
                        route.method, target, token: sharer.secret, type: type, fields: [.ifMatch: "*"], body: large)
                }
            }
        }
    }

    /// One room that isn't there, one that wants a token, and open ones.
    @Sendable private static func policy(of room: RoomName) -> RoomPolicy? {
        switch room.description {
        case "closed": nil
        case "guarded": RoomPolicy(sharerToken: BearerToken("sesame"))
        default: .open
        }
    }

    private func sharing(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { configuration in
            configuration.policy = Self.policy
        } _: { bench in
            for room in ["closed", "guarded"] { _ = try await bench.json(.post, "/v1/rooms/\(room)/share", "{}") }
            _ = try await bench.json(.post, "/v1/rooms/guarded/share", token: "x", "{}")
            let sharer = try await bench.share()
            _ = try await bench.json(.post, "/v1/rooms/demo/share", "{}")
            _ = try await bench.json(.post, "/v1/rooms/demo/share", "nonsense")
            _ = try await sharer.say()
            let stranger = "/v1/rooms/demo/share/\(Self.session)"
            let session = "/sessions/\(Self.session)"
            for path in [stranger, sharer.path] {
                for (method, suffix, bodies) in [
                    (.put, "/state", ["nonsense", #"{"state":"live","viewers":0}"#]),
                    (.post, session + "/answer", ["nonsense", #"{"sdp":"x"}"#]),
                    (.post, session + "/fragment", ["nonsense", #"{"fragment":"x","restart":"x"}"#]),
                ] as [(HTTPRequest.Method, String, [String])] {
                    for body in bodies { _ = try await bench.json(method, path + suffix, token: sharer.secret, body) }
                }
                _ = try await bench.send(.delete, path + session, token: sharer.secret)
            }
            _ = try await bench.send(.get, stranger + "/events", token: sharer.secret)
            _ = try await bench.send(.head, stranger + "/events", token: sharer.secret)
            _ = try await bench.send(.head, sharer.path + "/events", token: sharer.secret)
            async let events = bench.send(.get, sharer.path + "/events", token: sharer.secret)
            await bench.clock.sleeper(for: Timing().shareHeartbeat)
            _ = try await bench.send(.delete, sharer.path, token: sharer.secret)
            _ = try await bench.send(.delete, sharer.path, token: sharer.secret)
            _ = try await events
        }
    }

    private func viewing(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { bench in
            _ = try await bench.join()
            for method in [HTTPRequest.Method.get, .head] { _ = try await bench.send(method, "/v1/rooms/demo/whep") }
            let sharer = try await bench.share("demo", #"{"viewerToken":"sesame","maxViewers":2}"#)
            _ = try await bench.join()
            _ = try await bench.join(token: "x")
            _ = try await bench.join(token: "sesame", offer: "nonsense")
            let events = try await sharer.listen()
            for refusal in [
                Refusal(.unsupported), Refusal(.busy), Refusal(.unsupported, counterOffer: SDPSamples.answer),
            ] {
                async let response = bench.join(token: "sesame")
                let offer = try await events.nextOffer()
                _ = try await sharer.refuse(offer.sessionId, refusal)
                _ = try await response
            }
            async let response = bench.join(token: "sesame")
            let offer = try await events.nextOffer()
            _ = try await sharer.answer(offer.sessionId, "nonsense")
            _ = try await bench.join(token: "sesame")
            await bench.clock.sleeper(for: .seconds(10))
            bench.clock.advance(by: .seconds(10))
            _ = try await response
            _ = try await bench.join(token: "sesame")
        }
    }

    private func sessions(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            @Sendable func patch(_ body: String, _ match: String?) async throws {
                let fields: HTTPFields = match.map { [.ifMatch: $0] } ?? [:]
                let type = BodyType.trickleFragment.rawValue
                _ = try await bench.send(.patch, viewer.path, type: type, fields: fields, body: body)
            }
            for method in [HTTPRequest.Method.get, .head] {
                _ = try await bench.send(method, viewer.path)
                _ = try await bench.send(method, "/v1/rooms/demo/whep/\(Self.session)")
            }
            try await patch(SDPSamples.trickle, "*")
            try await patch(SDPSamples.trickle, nil)
            try await patch(SDPSamples.trickle, "\"x\"")
            try await patch("nonsense", "*")
            let events = try await sharer.listen()
            async let first: Void = patch(SDPSamples.restart, "*")
            let event = try await events.nextRestart()
            async let second: Void = patch(SDPSamples.restart, "*")
            let again = try await events.nextRestart()
            for tag in [event.restart, again.restart] {
                for fragment in ["nonsense", SDPSamples.restartReply] {
                    let body = try JSON.text(RestartReply(fragment: fragment, restart: #require(tag)))
                    let path = "\(sharer.path)/sessions/\(event.sessionId.text)/fragment"
                    _ = try await bench.json(.post, path, token: sharer.secret, body)
                }
            }
            _ = try await (first, second)
            _ = try await sharer.answer(event.sessionId)
        }
    }

    private func failedRestarts(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let id = try #require(viewer.path.split(separator: "/").last)
            @Sendable func restart(_ path: String) async throws {
                _ = try await bench.send(
                    .patch, path, type: BodyType.trickleFragment.rawValue, fields: [.ifMatch: "*"],
                    body: SDPSamples.restart)
            }
            // One that nobody answers, one whose viewer is sent away, one that the server's end cuts short.
            async let unanswered: Void = restart(viewer.path)
            await bench.clock.sleeper(for: .seconds(10))
            bench.clock.advance(by: .seconds(10))
            try await unanswered
            async let dismissed: Void = restart(viewer.path)
            await bench.clock.sleeper(for: .seconds(10))
            _ = try await bench.send(.delete, "\(sharer.path)/sessions/\(id)", token: sharer.secret)
            try await dismissed
            try await restart(viewer.path)
            let last = try await bench.joined(sharer)
            async let stopped: Void = restart(last.path)
            try await restartUnderWay(bench)
            await bench.routes.stop()
            try await stopped
        }
    }

    private func endings(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let type = BodyType.trickleFragment.rawValue
            for _ in 0...ServerLimits.patchBurst {
                _ = try await bench.send(
                    .patch, viewer.path, type: type, fields: [.ifMatch: "*"], body: SDPSamples.trickle)
            }
            for _ in 0..<2 { _ = try await bench.send(.delete, viewer.path) }
            let events = try await sharer.listen(after: .max)
            async let countered = bench.join()
            let offer = try await events.nextOffer()
            _ = try await sharer.refuse(offer.sessionId, Refusal(.unsupported, counterOffer: SDPSamples.answer))
            let path = try #require(try await countered.headers[.location])
            _ = try await bench.send(.patch, path, type: type, fields: [.ifMatch: "*"], body: SDPSamples.trickle)
            let dismiss = "\(sharer.path)/sessions/\(offer.sessionId.text)"
            _ = try await bench.send(.delete, dismiss, token: sharer.secret)
        }
    }

    /// Waits until a restart is under way.
    private func restartUnderWay(_ bench: Bench) async throws {
        while await bench.routes.store.rooms[.demo]?.share?.sessions.values.contains(where: { $0.restart != nil })
            != true
        {
            await Task.yield()
        }
    }

    private func pages(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { bench in
            for method in [HTTPRequest.Method.get, .head] {
                for path in [
                    "/", "/r/demo", "/assets/page.js", "/assets/none", "/v1/rooms", "/v1/rooms/demo",
                    "/healthz", "/openapi.json",
                ] {
                    let response = try await bench.send(method, path)
                    let tag = response.headers[.eTag] ?? "\"x\""
                    _ = try await bench.send(method, path, fields: [.ifNoneMatch: tag])
                }
            }
            _ = try await bench.share()
            for method in [HTTPRequest.Method.get, .head] { _ = try await bench.send(method, "/") }
            _ = try await bench.send(.head, "/v1/rooms/demo/events")
            async let events = bench.send(.get, "/v1/rooms/demo/events")
            await bench.clock.sleeper(for: Timing().watchHeartbeat)
            await bench.routes.stop()
            _ = try await events
        }
    }

    private func busy(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { configuration in
            configuration.maxRooms = 1
            configuration.maxPendingSessions = 0
        } _: { bench in
            _ = try await bench.share()
            _ = try await bench.json(.post, "/v1/rooms/other/share", "{}")
            _ = try await bench.join()
            for method in [HTTPRequest.Method.get, .head] { _ = try await bench.send(method, "/v1/rooms/other/events") }
        }
    }

    private func measuring(_ recorder: Recorder) async throws {
        try await Bench.run(recorder: recorder) { configuration in
            configuration.policy = Self.policy
        } _: { bench in
            let type = BodyType.bytes.rawValue
            let large = String(repeating: "a", count: ServerLimits.transferBytes + 1)
            _ = try await bench.send(.put, "/v1/rooms/demo/rate", type: type, body: large)
            for method in [HTTPRequest.Method.get, .head, .put] {
                for (room, token) in [("closed", nil), ("guarded", nil), ("guarded", "x"), ("demo", nil)] {
                    _ = try await bench.send(method, "/v1/rooms/\(room)/rate", token: token, type: type, body: "a")
                }
            }
            for _ in 0..<ServerLimits.transferBurst { _ = try await bench.send(.get, "/v1/rooms/demo/rate") }
            for method in [HTTPRequest.Method.head, .put] {
                _ = try await bench.send(method, "/v1/rooms/demo/rate", type: type, body: "a")
            }
        }
    }

    /// What only a connection can bring about.
    private func wire(_ recorder: Recorder) async throws {
        try await LiveServer.run {
            $0.timing.body = .milliseconds(50)
        } _: { live in
            for route in routes {
                for host in [nil, "evil.example"] {
                    let path = concrete(route.path)
                    let response = try await live.send(route.method.rawValue, path, host: host)
                    recorder.note(route.method.rawValue, path, status: response.status, body: response.body)
                }
            }
            let sharer = try await live.share()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await live.answerAll(sharer) }
                let joined = try await live.send(
                    "POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer)
                let session = try #require(joined.fields["location"])
                for route in routes where !route.documentation.body.isEmpty {
                    let share = concrete(route.path).replacing(
                        "/v1/rooms/demo/share/\(Self.session)", with: sharer.path)
                    let path = route.method == .patch ? session : share
                    let response = try await live.send(
                        route.method.rawValue, path, token: sharer.secret, type: route.documentation.body[0].mediaType,
                        fields: ["Content-Length": "100", "If-Match": "*"], body: "")
                    recorder.note(route.method.rawValue, path, status: response.status, body: response.body)
                }
                group.cancelAll()
            }
        }
    }
}

/// As much of the document as the tests look at.
private struct OpenAPI: Decodable {
    struct Operation: Decodable {
        var operationId: String
        var responses: [String: Ignored]
    }

    struct Components: Decodable {
        var schemas: [String: Ignored]
        var parameters: [String: Ignored]
    }

    struct Ignored: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    /// An address: its operations, and whatever else there is.
    struct Item: Decodable {
        var operations: [String: Operation] = [:]

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            for key in fields.allKeys where key.stringValue != "parameters" {
                operations[key.stringValue] = try fields.decode(Operation.self, forKey: key)
            }
        }

        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    var openapi: String
    var paths: [String: Item]
    var components: Components

    func operation(_ route: Route) -> Operation? { paths[route.path]?.operations[route.method.rawValue.lowercased()] }
}
