import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Hosts and origins", .timeLimit(.minutes(1)))
struct HostAndOriginTests {
    @Test("Loopback names, plain addresses and configured names are ours; every other host is turned away")
    func hosts() async throws {
        try await LiveServer.run { configuration in
            configuration.allowedHosts = ["Share.Example.org"]
            configuration.baseURL = "https://public.example.org/"
        } _: { live async throws in
            for host in [
                "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080", "192.168.1.20:8080",
                "demo.localhost", "share.example.org", "share.example.org:8443", "public.example.org",
            ] {
                #expect(try await live.send("GET", "/healthz", host: host).status == 200, "\(host)")
            }
            for host in [
                "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3", "1.2.3.4.5", "256.1.1.1",
                "xlocalhost", "share.example.org.evil.example", "", "[evil]",
            ] {
                for path in ["/healthz", "/r/demo", "/v1/rooms", "/v1/rooms/demo/whep", "/openapi.json"] {
                    #expect(try await live.send("GET", path, host: host).problem == .hostNotAllowed, "\(host)")
                }
            }
        }
    }

    @Test("No host, two hosts, and an absolute address with another host are malformed")
    func oddHosts() async throws {
        try await LiveServer.run { live async throws in
            #expect(try await live.send("GET", "/healthz", host: nil).problem == .malformedRequest)
            let two = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
            #expect(try RawResponse(await live.exchange([two])).problem == .malformedRequest)
        }
    }

    @Test("A page of another site may not ask for what is the sharer's, though its request names no origin")
    func withoutOrigin() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            for site in ["cross-site", "same-site"] {
                let fields: HTTPFields = [.secFetchSite: site]
                for path in ["\(sharer.path)/events", "/v1/rooms/demo/rate?bytes=1000"] {
                    try await bench.send(.get, path, token: sharer.secret, fields: fields).problem(.originNotAllowed)
                }
                #expect(try await bench.send(.get, "/r/demo", fields: fields).status == .ok, "a link leads here")
            }
            for site in ["none", "same-origin"] {
                let rate = try await bench.send(
                    .get, "/v1/rooms/demo/rate?bytes=1000", fields: [.secFetchSite: site])
                #expect(rate.status == .ok)
            }
        }
    }

    private let offer: HTTPFields = [.contentType: "application/sdp"]

    @Test("Pages of our own origin may do everything; pages of others may share nothing and watch nothing")
    func origins() async throws {
        try await Bench.run {
            $0.allowedOrigins = ["https://player.example.org"]
        } _: { bench in
            let sharer = try await bench.share()
            for origin in ["http://localhost", "HTTP://LOCALHOST:80", "https://localhost"] {
                let response = try await bench.send(
                    .put, "\(sharer.path)/state", token: sharer.secret, type: "application/json",
                    fields: [.origin: origin], body: #"{"state":"live","viewers":0}"#)
                #expect(response.status == .noContent, "\(origin)")
                #expect(response.headers[.accessControlAllowOrigin] == nil)
            }
            for origin in [
                "http://evil.example", "null", "", "http://localhost.evil.example", "http://localhost:8081",
                "file://", "http://localhost@evil.example", "https://player.example.org.evil.example",
            ] {
                let requests: [(HTTPRequest.Method, String, String?)] = [
                    (.post, "/v1/rooms/demo/share", "{}"), (.get, "\(sharer.path)/events", nil),
                    (.put, "\(sharer.path)/state", "{}"), (.delete, sharer.path, nil),
                    (.post, "/v1/rooms/demo/whep", SDPSamples.offer),
                    (.delete, "/v1/rooms/demo/whep/ffffffffffffffffffffffffffffffff", nil),
                ]
                for (method, path, body) in requests {
                    let response = try await bench.send(
                        method, path, token: sharer.secret, fields: [.origin: origin], body: body)
                    response.problem(.originNotAllowed)
                    #expect(response.headers[.accessControlAllowOrigin] == nil)
                    #expect(response.headers[values: .vary].contains("Origin"))
                }
                let state = try await bench.send(.get, "/v1/rooms/demo", fields: [.origin: origin])
                #expect(state.headers[.accessControlAllowOrigin] == nil)
            }
        }
    }

    @Test("A configured origin is named in CORS fields, for WHEP and for states, never for what is the sharer's")
    func listedOrigin() async throws {
        let origin = "https://player.example.org"
        try await Bench.run {
            $0.allowedOrigins = [origin]
        } _: { bench in
            let sharer = try await bench.share("demo", #"{"viewerToken":"sesame"}"#)
            let response = try await bench.join(fields: [.origin: origin])
            response.problem(.tokenRequired)
            #expect(response.headers[.accessControlAllowOrigin] == origin)
            #expect(response.headers[.accessControlExposeHeaders]?.contains("Location") == true)
            let preflight = try await bench.send(
                .options, "/v1/rooms/demo/whep", fields: [.origin: origin, .accessControlRequestMethod: "POST"])
            #expect(preflight.status == .ok)
            #expect(preflight.headers[.accessControlAllowOrigin] == origin)
            #expect(preflight.headers[.accessControlAllowHeaders] == "Authorization, Content-Type, If-Match")
            let state = try await bench.send(.get, "/v1/rooms/demo", fields: [.origin: origin])
            #expect(state.headers[.accessControlAllowOrigin] == origin)
            for path in ["/v1/rooms/demo", "/v1/rooms/demo/events"] {
                let asked = try await bench.send(
                    .options, path, fields: [.origin: origin, .accessControlRequestMethod: "GET"])
                #expect(asked.headers[.accessControlAllowOrigin] == origin)
                #expect(asked.headers[.accessControlAllowMethods]?.contains("GET") == true)
                #expect(asked.headers[.accessControlAllowHeaders]?.contains("Authorization") == true, "the token's field")
            }
            let share = try await bench.send(.options, sharer.path, fields: [.origin: origin])
            #expect(share.headers[.accessControlAllowOrigin] == nil)
            #expect(share.headers[.accessControlAllowHeaders] == nil)
        }
    }

    @Test(
        "Viewers from any origin, where that is wanted: an asterisk for WHEP in rooms without a token, and nowhere else"
    )
    func anyOrigin() async throws {
        try await Bench.run {
            $0.viewersFromAnyOrigin = true
        } _: { bench in
            let open = try await bench.share("open")
            _ = try await bench.share("locked", #"{"viewerToken":"sesame"}"#)
            let fields: HTTPFields = [.origin: "http://anywhere.example"]
            let preflight = try await bench.send(.options, "/v1/rooms/open/whep", fields: fields)
            #expect(preflight.headers[.accessControlAllowOrigin] == "*")
            let events = try await open.listen()
            async let response = bench.join("open", fields: fields)
            _ = try await open.answer(events.next(SessionOffer.self).sessionId)
            let joined = try await response
            #expect(joined.status == .created)
            #expect(joined.headers[.accessControlAllowOrigin] == "*")

            let locked = try await bench.join("locked", token: "sesame", fields: fields)
            locked.problem(.originNotAllowed)
            #expect(locked.headers[.accessControlAllowOrigin] == nil)
            let lockedPreflight = try await bench.send(.options, "/v1/rooms/locked/whep", fields: fields)
            #expect(lockedPreflight.headers[.accessControlAllowOrigin] == nil)
            let share = try await bench.send(
                .post, "/v1/rooms/new/share", type: "application/json", fields: fields, body: "{}")
            share.problem(.originNotAllowed)
            let state = try await bench.send(.get, "/v1/rooms/open", fields: fields)
            #expect(state.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("Every answer says nosniff, no-referrer, no-store or no-cache, and has a content policy")
    func commonFields() async throws {
        try await Bench.run { bench in
            for path in [
                "/", "/r/demo", "/assets/page.js", "/v1/rooms", "/v1/rooms/demo", "/healthz", "/openapi.json",
                "/nowhere", "/v1/rooms/demo/whep", "/v1/rooms/..",
            ] {
                let headers = try await bench.send(.get, path).headers
                #expect(headers[.xContentTypeOptions] == "nosniff", "\(path)")
                #expect(headers[.referrerPolicy] == "no-referrer", "\(path)")
                #expect(["no-store", "no-cache"].contains(headers[.cacheControl]), "\(path)")
                #expect(headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true, "\(path)")
            }
        }
    }
}
