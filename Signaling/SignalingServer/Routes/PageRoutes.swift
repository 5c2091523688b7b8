import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// The web viewer: one page, and what it loads.
struct PageRoutes: Sendable {
    let store: RoomStore

    /// No script, style or connection from anywhere else, nothing inline, and no other page around ours.
    private static let pagePolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        media-src 'self' blob: mediastream:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    var routes: [Route] { [landing, page, asset] }

    private var page: Route {
        Route(
            .get, "/r/{room}", for: .page,
            Documentation(
                id: "viewerPage",
                summary: "The web viewer of a room. Where the name is none, who accepts HTML is told so by the page.",
                successes: [
                    .init(
                        status: 200, description: "The page.", content: .text(PageAssets.page.mediaType),
                        headers: ["ETag"]),
                    .init(status: 304, description: "It is the one you have.", headers: ["ETag"]),
                ],
                problems: [.invalidRoomName])
        ) { call in
            do throws(ProblemError) { _ = try call.room() } catch {
                guard call.acceptsHTML else { throw error }
                return Self.response(PageAssets.page, to: call, status: .badRequest)
            }
            return Self.response(PageAssets.page, to: call)
        }
    }

    private var asset: Route {
        Route(
            .get, "/assets/{file}", for: .page,
            Documentation(
                id: "viewerAsset", summary: "A script, style sheet or picture of the web viewer.",
                successes: [
                    .init(
                        status: 200, description: "The file.", content: .text("text/javascript; charset=utf-8"),
                        headers: ["ETag", "Vary"]),
                    .init(status: 304, description: "It is the one you have.", headers: ["ETag", "Vary"]),
                ],
                problems: [.notFound])
        ) { call in
            guard let name = call.parameters.get("file"), let asset = PageAssets.named[name] else {
                throw ProblemError(.notFound)
            }
            return Self.response(asset, to: call)
        }
    }

    private static func response(
        _ asset: PageAssets.Asset, to call: Call, status: HTTPResponse.Status = .ok
    ) -> Response {
        let form = asset.compressed.flatMap { call.acceptsGzip ? $0 : nil } ?? asset.plain
        // `no-cache` asks every time, so that a newer server is never shown with an older page.
        var headers: HTTPFields = [
            .contentType: asset.mediaType, .eTag: form.etag, .cacheControl: "no-cache",
            .contentSecurityPolicy: pagePolicy, .resourcePolicy: "same-origin",
        ]
        if asset.compressed != nil { headers[.vary] = "Accept-Encoding" }
        let known = call.request.headers[.ifNoneMatch]?.split(separator: ",").contains { $0.contains(form.etag) }
        if status == .ok, known == true { return Response(status: .notModified, headers: headers) }
        headers[.contentEncoding] = form.encoding
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: form.content))
    }

    /// Leads to the one room that is open, or lists them.
    private var landing: Route {
        Route(
            .get, "/", for: .page,
            Documentation(
                id: "landing", summary: "Leads to the room if one alone is open, and else says what there is.",
                successes: [
                    .init(status: 200, description: "A page of words.", content: .text("text/html; charset=utf-8")),
                    .init(status: 303, description: "One room is open.", headers: ["Location"]),
                ])
        ) { _ in
            let rooms = await store.list().rooms
            if rooms.count == 1 {
                return Response(status: .seeOther, headers: [.location: "/r/\(rooms[0].room)"])
            }
            return Response(
                status: .ok,
                headers: [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: Self.pagePolicy],
                body: ResponseBody(byteBuffer: ByteBuffer(string: LandingPage.html(rooms))))
        }
    }
}

/// What `/` shows where there isn't exactly one open room.
enum LandingPage {
    static func html(_ rooms: [RoomState]) -> String {
        let items = rooms.map { room in
            "<li><a href=\"/r/\(room.room)\">\(escaped(room.name ?? room.room.description))</a></li>"
        }
        let list =
            items.isEmpty
            ? "<p>Nobody is sharing a screen openly here at the moment.</p>"
            : "<p>These screens are being shared:</p>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>"
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="dark light">
            <title>Shared screens</title>
            <link rel="icon" type="image/svg+xml" href="/assets/icon.svg">
            <h1>Shared screens</h1>
            \(list)
            <p>If you were given a link to a room, open that link as it is. Programs find their way by
            <a href="/openapi.json">the API's description</a>.</p>
            </html>

            """
    }

    /// By scalars, as browsers read: behind U+0600 and its like a `<` is no character of its own (UAX #29, GB9b).
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
