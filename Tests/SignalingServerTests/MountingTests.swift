import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Signaling inside another application", .timeLimit(.minutes(1)))
struct MountingTests {
    @Test("The routes live beside an application's own, with a context of its own, and bring their own errors")
    func mounted() async throws {
        let routes = SignalingRoutes(logger: .silent)
        let router = Router(context: OwnContext.self)
        router.get("hello") { _, _ in "hello" }
        routes.add(to: router)
        try await Application(router: router, logger: .silent).test(.router) { client in
            let client = Bench(client: client, routes: routes, clock: ManualClock())
            #expect(try await client.send(.get, "/hello").text == "hello")
            #expect(try await client.send(.get, "/hello").headers[.contentSecurityPolicy] == nil)
            #expect(try await client.send(.get, "/r/demo").status == .ok)
            let sharer = try await client.share()
            _ = try await client.joined(sharer)
            try await client.send(.put, "/healthz").problem(.methodNotAllowed)
            try await client.join("nobody").problem(.noSharer)
        }
    }

    @Test("An answer over HTTP/2 has no Connection field, with which it would not leave", arguments: ["http", "https"])
    func http2(scheme: String) async throws {
        let router = Router(context: OwnContext.self)
        SignalingRoutes(logger: .silent).add(to: router)
        let responder = router.buildResponder()
        let expected = scheme == "http" ? "close" : nil
        for (fields, status) in [([:], 200), ([.contentLength: "6"], 400)] as [(HTTPFields, Int)] {
            let head = HTTPRequest(
                method: .get, scheme: scheme, authority: "localhost", path: "/v1/rooms/demo/events",
                headerFields: fields)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let context = OwnContext(source: .init(channel: NIOAsyncTestingChannel(), logger: .silent))
            let response = try await responder.respond(to: request, context: context)
            #expect(response.status.code == status)
            #expect(response.headers[.connection] == expected)
        }
    }

    @Test("Left running beside the application, the rooms are looked through")
    func housekeeping() async throws {
        let clock = ManualClock()
        let routes = SignalingRoutes(configuration: .init(), clock: clock.clock, logger: .silent)
        let running = Task { await routes.run() }
        let reader = EventReader(try await routes.store.watch(.demo))
        #expect(try await reader.next(RoomState.self).state == .waiting)
        _ = try await routes.store.open(.demo, ShareRequest(), presented: nil)
        #expect(try await reader.next(RoomState.self).state == .live)
        await clock.sleeper(for: .seconds(1))
        clock.advance(by: .seconds(6))
        #expect(try await reader.next(RoomState.self).state == .waiting)
        running.cancel()
        await running.value
    }
}

private struct OwnContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let mark = "own"

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
