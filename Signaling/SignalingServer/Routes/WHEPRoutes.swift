import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol
import NIOConcurrencyHelpers

/// The WHEP endpoint of a room (draft-ietf-wish-whep): offers come in here.
struct WHEPRoutes: Sendable {
    let store: RoomStore
    /// STUN and TURN servers for one viewer, as `Link` fields (RFC 9725 § 4.6).
    let iceServerLinks: @Sendable () -> [String]

    static let endpoint = "/v1/rooms/{room}/whep"

    var routes: [Route] { [join, look(.get), look(.head)] }

    private var join: Route {
        Route(
            .post, Self.endpoint, for: .viewer,
            Documentation(
                id: "joinRoom", summary: "WHEP: watch a room. The answer holds all of the sharer's candidates.",
                security: .viewerToken, body: [.sdp],
                successes: [
                    .init(
                        status: 201, description: "The sharer's answer.", content: .sdp,
                        headers: ["Location", "ETag", "Link", "Accept-Patch"]),
                    .init(
                        status: 406, description: "The sharer's counter-offer, to be answered by PATCH within 30 s.",
                        content: .sdp, headers: ["Location", "ETag", "Link", "Accept-Patch"]),
                ],
                problems: [
                    .invalidRoomName, .malformedSDP, .tokenRequired, .tokenRejected, .noSharer, .offerNotServed,
                    .sharerSilent, .sharerBusy, .roomFull, .serverBusy, .noAnswer,
                ])
        ) { call in
            let room = try call.room()
            // Before the body is read: a body that is neither read nor dropped would keep the request from ending.
            try call.require(.sdp)
            return response(to: try await joined(room, call))
        }
    }

    /// Waits for the sharer's word for as long as the viewer does: a request that is given up leaves no session.
    ///
    /// To notice a viewer that gives up, the connection is read to its end: it is of no more use afterwards.
    private func joined(_ room: RoomName, _ call: Call) async throws -> RoomStore.Joined {
        let result = NIOLockedValueBox<RoomStore.Joined?>(nil)
        do {
            return try await call.request.body.consumeWithCancellationOnInboundClose { body in
                let sdp = try await call.text(of: body)
                guard let outline = SDPOutline(description: sdp) else { throw ProblemError(.malformedSDP) }
                let joined = try await store.join(room, token: call.bearer, sdp: sdp, ufrags: outline.ufrags)
                result.withLockedValue { $0 = joined }
                return joined
            }
        } catch {
            if let joined = result.withLockedValue(\.self) { await store.abandon(joined.address) }
            throw ProblemError(error).with(.connection, "close")
        }
    }

    private func response(to joined: RoomStore.Joined) -> Response {
        let path = "/v1/rooms/\(joined.address.room)/whep/\(joined.address.id.text)"
        var headers: HTTPFields = [
            .contentType: BodyType.sdp.rawValue, .location: path, .eTag: joined.etag.quoted,
            .acceptPatch: (joined.isCounterOffer ? BodyType.sdp : .trickleFragment).rawValue,
            .connection: "close",
        ]
        // RFC 5989: what is to be known of the session meanwhile.
        let monitor = "</v1/rooms/\(joined.address.room)/events?session=\(joined.address.id.text)>; rel=\"monitor\""
        headers.append(links: iceServerLinks() + [monitor])
        let sdp = ByteBuffer(string: joined.sdp)
        return Response(
            status: joined.isCounterOffer ? .notAcceptable : .created, headers: headers,
            body: ResponseBody(contentLength: sdp.readableBytes) { writer in
                do {
                    try await writer.write(sdp)
                    try await writer.finish(nil)
                } catch {
                    await store.abandon(joined.address)
                    throw error
                }
            })
    }

    /// The draft, "HTTP Usage" and "WHEP Endpoint URL Discoverability": nothing to see, and HEAD tells players what
    /// this address is. Who may watch is told the ICE servers, as the answer to POST does: a browser has to know them
    /// before it gathers.
    private func look(_ method: HTTPRequest.Method) -> Route {
        Route(
            method, Self.endpoint, for: .viewer,
            Documentation(
                id: method == .get ? "lookAtEndpoint" : "discoverEndpoint",
                summary: "Empty; the content type tells that this is a WHEP endpoint, and to who may watch Link names "
                    + "STUN and TURN servers.",
                security: .viewerToken,
                successes: [.init(status: 200, description: "A WHEP endpoint.", content: nil, headers: ["Link"])],
                problems: [.invalidRoomName])
        ) { call in
            let room = try call.room()
            var headers: HTTPFields = [.contentType: BodyType.sdp.rawValue, .acceptPost: BodyType.sdp.rawValue]
            if await store.admits(call.bearer, to: room) { headers.append(links: iceServerLinks()) }
            return Response(status: .ok, headers: headers)
        }
    }
}

extension HTTPFields {
    fileprivate mutating func append(links: [String]) {
        for link in links { append(HTTPField(name: .link, value: link)) }
    }
}
