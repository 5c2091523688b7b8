import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Rooms and their state", .timeLimit(.minutes(1)))
struct RoomTests {
    private func watch(_ bench: Bench, _ room: String = "demo") async throws -> EventReader {
        EventReader(try await bench.routes.store.watch(#require(RoomName(room))))
    }

    @Test("The list names rooms that are shared and open, in order, and no others")
    func list() async throws {
        try await Bench.run { configuration in
            configuration.policy = { RoomPolicy(isListed: $0.description != "hidden") }
        } _: { bench in
            for room in ["beta", "alpha", "hidden"] { _ = try await bench.share(room) }
            _ = try await bench.share("locked", #"{"viewerToken":"sesame"}"#)
            let response = try await bench.send(.get, "/v1/rooms")
            #expect(try response.decode(RoomList.self).rooms.map(\.room.description) == ["alpha", "beta"])
            bench.clock.advance(by: .seconds(6))
            #expect(try await bench.send(.get, "/v1/rooms").decode(RoomList.self).rooms.isEmpty)
        }
    }

    @Test("Of a room behind a token, who has none hears whether it is shared, and no more")
    func locked() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share("demo", #"{"viewerToken":"sesame","name":"Salaries"}"#)
            #expect(try await sharer.say(viewers: 3).status == .noContent)
            for (token, name, viewers) in [(nil, nil, 0), ("wrong", nil, 0), ("sesame", "Salaries", 3)] as [(String?, String?, Int)] {
                let state = try await bench.send(.get, "/v1/rooms/demo", token: token).decode(RoomState.self)
                #expect(state.state == .live && state.tokenRequired)
                #expect(state.name == name && state.viewers == viewers)
            }
            let room = try #require(RoomName("demo"))
            let stranger = EventReader(try await bench.routes.store.watch(room))
            let viewer = EventReader(try await bench.routes.store.watch(room, presented: BearerToken("sesame")))
            #expect(try await stranger.next(RoomState.self).name == nil)
            #expect(try await viewer.next(RoomState.self).name == "Salaries")
        }
    }

    @Test("A server may keep its rooms to itself")
    func unlisted() async throws {
        try await Bench.run {
            $0.listsRooms = false
        } _: { bench in
            _ = try await bench.share()
            #expect(try await bench.send(.get, "/v1/rooms").decode(RoomList.self).rooms.isEmpty)
            #expect(try await bench.send(.get, "/").status == .ok)
        }
    }

    @Test("A room nobody uses waits; a bad name is no room")
    func unknown() async throws {
        try await Bench.run { bench in
            let state = try await bench.send(.get, "/v1/rooms/nobody").decode(RoomState.self)
            #expect(state.state == .waiting)
            #expect(state.viewers == 0)
            for name in ["..", "a%20b", "a:b", String(repeating: "x", count: 65)] {
                for suffix in ["", "/whep", "/events"] {
                    try await bench.send(.get, "/v1/rooms/\(name)\(suffix)").problem(.invalidRoomName)
                }
                try await bench.send(.get, "/r/\(name)").problem(.invalidRoomName)
            }
        }
    }

    @Test("A name in an address may be encoded where it needs not be, once, and nothing else becomes one by that")
    func encodedName() async throws {
        try await Bench.run { bench in
            _ = try await bench.share("d~")
            for name in ["d~", "d%7E", "%64%7e"] {
                let state = try await bench.send(.get, "/v1/rooms/\(name)").decode(RoomState.self)
                #expect(state.state == .live && state.room.description == "d~")
                #expect(try await bench.send(.get, "/r/\(name)").status == .ok)
            }
            for name in ["d%257E", "d%7", "d%", "%2e%2E", "d%2Fe", "d%00", "%ff"] {
                try await bench.send(.get, "/v1/rooms/\(name)").problem(.invalidRoomName)
            }
        }
    }

    @Test("That a room's state and its events take the viewers' token stands in the OpenAPI document")
    func documentedToken() async throws {
        try await Bench.run { bench in
            let paths = try await bench.send(.get, "/openapi.json").decode(TokenDocument.self).paths
            for path in ["/v1/rooms/{room}", "/v1/rooms/{room}/events"] {
                #expect(paths[path]?.get?.security == [[:], ["viewerToken": []]])
            }
        }
    }

    @Test("Watchers hear the state at first and each change at once: shared, paused, more viewers, silent, back, ended")
    func changes() async throws {
        try await Bench.run { bench in
            let events = try await watch(bench)
            #expect(try await events.next(RoomState.self).state == .waiting)
            let sharer = try await bench.share()
            #expect(try await events.next(RoomState.self).state == .live)
            _ = try await sharer.say(.live)
            _ = try await sharer.say(.paused)
            #expect(try await events.next(RoomState.self).state == .paused)
            _ = try await sharer.say(.paused, viewers: 2)
            #expect(try await events.next(RoomState.self).viewers == 2)
            bench.clock.advance(by: .seconds(6))
            await bench.routes.store.sweep()
            #expect(try await events.next(RoomState.self).state == .waiting)
            _ = try await sharer.say(.live, viewers: 2)
            #expect(try await events.next(RoomState.self).state == .live)
            _ = try await bench.send(.delete, sharer.path, token: sharer.secret)
            #expect(await events.next()?.name == "ended")
            let last = try #require(await events.next())
            #expect(last.name == "state")
            #expect(last.data.contains("waiting"))
        }
    }

    @Test("Watchers are bounded, and a room nobody is in any more is forgotten")
    func watchers() async throws {
        try await Bench.run { bench in
            let store = bench.routes.store
            let room = try #require(RoomName("demo"))
            var channels: [EventChannel] = []
            for _ in 0..<ServerLimits.watchers { channels.append(try await store.watch(room)) }
            try await bench.send(.get, "/v1/rooms/demo/events").problem(.serverBusy)
            for channel in channels { await channel.close() }
            #expect(await store.rooms.isEmpty)
        }
    }

    @Test("The landing page leads to the one open room, lists several, and says so where there is none")
    func landing() async throws {
        try await Bench.run { bench in
            #expect(try await bench.send(.get, "/").text.contains("Nobody is sharing"))
            _ = try await bench.share("demo", #"{"name":"<script>\"&"}"#)
            let one = try await bench.send(.get, "/")
            #expect(one.status == .seeOther)
            #expect(one.headers[.location] == "/r/demo")
            _ = try await bench.share("other")
            let two = try await bench.send(.get, "/")
            #expect(two.text.contains("<a href=\"/r/demo\">&lt;script&gt;&quot;&amp;</a>"))
            #expect(two.text.contains("<a href=\"/r/other\">other</a>"))
            #expect(!two.text.contains("<script"))
        }
    }

    /// UAX #29, GB9b: U+0600 makes one character with what follows it, and browsers read `<` all the same.
    @Test("A name on the landing page is text, also where a mark in front of a bracket makes one character with it")
    func prependedBracket() async throws {
        try await Bench.run { bench in
            _ = try await bench.share("demo", #"{"name":"\u0600<b title=\u0600\"x\u0600\">"}"#)
            _ = try await bench.share("other")
            let page = try await bench.send(.get, "/").text
            #expect(page.utf8.contains("\u{600}&lt;b title=\u{600}&quot;x\u{600}&quot;&gt;</a>".utf8))
            #expect(!page.utf8.contains("<b".utf8))
        }
    }

    @Test("The server says that it is well")
    func health() async throws {
        try await Bench.run { bench in
            let response = try await bench.send(.get, "/healthz")
            #expect(response.status == .ok)
            #expect(response.text == #"{"status":"ok"}"#)
        }
    }
}

@Suite("The web viewer's files", .timeLimit(.minutes(1)))
struct PageTests {
    @Test("The page forbids everything that isn't ours, and is asked for anew each time")
    func page() async throws {
        try await Bench.run { bench in
            let response = try await bench.send(.get, "/r/demo")
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
            #expect(response.headers[.referrerPolicy] == "no-referrer")
            #expect(response.headers[.cacheControl] == "no-cache")
            let policy = try #require(response.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'"))
            #expect(policy.contains("script-src 'self'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(response.text.lowercased().hasPrefix("<!doctype html>"))
        }
    }

    @Test("A browser shows the page also where an address names no room, for the page says so")
    func noRoom() async throws {
        try await Bench.run { bench in
            let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
            let page = try await bench.send(.get, "/r/demo")
            let tag = try #require(page.headers[.eTag])
            for name in ["a%20b", "a:b", String(repeating: "x", count: 65)] {
                let response = try await bench.send(
                    .get, "/r/\(name)", fields: [.accept: accept, .ifNoneMatch: tag])
                #expect(response.status == .badRequest)
                #expect(response.headers[.contentType] == "text/html; charset=utf-8")
                #expect(response.text == page.text)
                try await bench.send(.get, "/r/\(name)", fields: [.accept: "*/*"]).problem(.invalidRoomName)
            }
        }
    }

    @Test("A browser that has a file already is told so")
    func conditional() async throws {
        try await Bench.run { bench in
            for path in ["/r/demo", "/assets/page.js"] {
                for encoding in ["gzip", "identity"] {
                    let fields: HTTPFields = [.acceptEncoding: encoding]
                    let tag = try #require(try await bench.send(.get, path, fields: fields).headers[.eTag])
                    let again = try await bench.send(.get, path, fields: [.acceptEncoding: encoding, .ifNoneMatch: tag])
                    #expect(again.status == .notModified)
                    #expect(again.body.readableBytes == 0)
                    for other in [[.acceptEncoding: encoding, .ifNoneMatch: "\"x\""], [.ifNoneMatch: "\"x\""]] as [HTTPFields] {
                        #expect(try await bench.send(.get, path, fields: other).status == .ok)
                    }
                }
            }
        }
    }

    @Test("A proxy that takes an ending of its own off the tag is told so as well")
    func conditionalBehindProxy() async throws {
        try await Bench.run { bench in
            let fields: HTTPFields = [.acceptEncoding: "gzip"]
            let tag = try #require(try await bench.send(.get, "/assets/page.js", fields: fields).headers[.eTag])
            let passedOn = tag.replacing("-gzip\"", with: "\"")
            let again = try await bench.send(.get, "/assets/page.js", fields: [.acceptEncoding: "gzip", .ifNoneMatch: passedOn])
            #expect(again.status == .notModified)
        }
    }

    @Test(
        "Who takes gzip is sent scripts compressed, and whoever doesn't as they are",
        arguments: [
            ("gzip", true), ("br, GZIP ; q=0.5", true), ("deflate,\tgzip", true), ("gzip;q=0", false), ("gzip; q=0.00", false),
            ("br", false), ("", false), ("*", false), ("gzip2", false), (";;gzip,;q=0,", false), ("gzip;q=x", true),
        ])
    func encoding(_ accepted: String, _ isCompressed: Bool) async throws {
        try await Bench.run { bench in
            for path in ["/assets/page.js", "/assets/page.css"] {
                let plain = try await bench.send(.get, path)
                let reply = try await bench.send(.get, path, fields: [.acceptEncoding: accepted])
                for reply in [plain, reply] { #expect(reply.headers[.vary] == "Accept-Encoding, Origin") }
                #expect(plain.headers[.contentEncoding] == nil)
                #expect(reply.headers[.contentEncoding] == (isCompressed ? "gzip" : nil))
                #expect((reply.headers[.eTag] != plain.headers[.eTag]) == isCompressed)
                #expect((reply.body.readableBytes < plain.body.readableBytes / 2) == isCompressed)
            }
        }
    }

    @Test("The page itself comes as it is, and fits in what a new connection may send at once")
    func firstFlight() async throws {
        try await Bench.run { bench in
            let page = try await bench.send(.get, "/r/demo", fields: [.acceptEncoding: "gzip"])
            #expect(page.headers[.contentEncoding] == nil)
            // RFC 6928: ten segments; of 1448 bytes, with room for the head.
            #expect(page.body.readableBytes < 9 * 1448)
        }
    }

    @Test("The page's scripts are one, with no name twice and nothing to load")
    func modules() async throws {
        try await Bench.run { bench in
            let lines = try await bench.send(.get, "/assets/page.js").text.split(separator: "\n")
            let names = lines.compactMap { $0.prefixMatch(of: #/(?:async )?(?:class|function|const|let|var) (\w+)/#)?.1 }
            #expect(names.count > 50)
            #expect(Set(names).count == names.count)
            #expect(!lines.contains { $0.contains("import ") && $0.contains("from ") || $0.hasPrefix("export ") })
            let last = try #require(lines.lastIndex { $0.hasPrefix("class ") })
            #expect(lines[last...].contains("function begin() {"), "what begins stands behind what it needs")
        }
    }

    @Test("Every file the page names is served with its type, and nothing else is")
    func assets() async throws {
        try await Bench.run { bench in
            let page = try await bench.send(.get, "/r/demo").text
            let named = page.split(separator: "\"").filter { $0.hasPrefix("/assets/") }.map(String.init)
            #expect(named.count >= 3)
            for path in named {
                let response = try await bench.send(.get, path)
                #expect(response.status == .ok, "\(path)")
                let type = try #require(response.headers[.contentType])
                let expected = ["js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"]
                #expect(type.hasPrefix(try #require(expected[path.split(separator: ".").last.map(String.init) ?? ""])))
                #expect(response.body.readableBytes > 0)
            }
            for path in ["/assets/viewer.html", "/assets/../page.js", "/assets/", "/assets/x", "/assets/.%2e/a"] {
                try await bench.send(.get, path).problem(.notFound)
            }
        }
    }
}

/// As much of the OpenAPI document as is looked at here.
private struct TokenDocument: Decodable {
    struct Item: Decodable {
        var get: Operation?
    }

    struct Operation: Decodable {
        var security: [[String: [String]]]?
    }

    var paths: [String: Item]
}
