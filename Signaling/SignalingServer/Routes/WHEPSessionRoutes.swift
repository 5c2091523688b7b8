import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// A WHEP session (draft-ietf-wish-whep): candidates, ICE restarts, the answer to a counter-offer, goodbye.
///
/// Sessions that don't exist and sessions that may not be touched meet the same 404.
struct WHEPSessionRoutes: Sendable {
    let store: RoomStore

    private static let session = WHEPRoutes.endpoint + "/{sessionId}"

    var routes: [Route] { [patch, leave, look(.get), look(.head)] }

    private var patch: Route {
        Route(
            .patch, Self.session, for: .viewer,
            Documentation(
                id: "patchSession",
                summary: "Trickle candidates, restart ICE (a new ufrag; If-Match: *), or answer a counter-offer.",
                security: .viewerToken, requestFields: ["If-Match"], body: [.fragment, .sdp],
                successes: [
                    .init(status: 204, description: "Passed on."),
                    .init(
                        status: 200, description: "ICE was restarted: the sharer's side of it.", content: .fragment,
                        headers: ["ETag"]),
                ],
                problems: [
                    .invalidRoomName, .malformedSDP, .sessionNotFound, .notEstablished, .restartSuperseded,
                    .preconditionFailed, .preconditionRequired, .tooManyRequests, .serverBusy, .sharerBusy, .noAnswer,
                ])
        ) { call in
            let address = try call.session()
            let isCountered = try await store.session(at: address).isCountered
            switch call.contentType.flatMap(BodyType.init) {
            case .trickleFragment: return try await trickle(address, call)
            case .sdp where isCountered: return try await answer(address, call)
            case .sdp, .json, .bytes, nil:
                throw ProblemError(.unsupportedMediaType).with(.acceptPatch, Self.patch(isCountered).rawValue)
            }
        }
    }

    private func trickle(_ address: SessionAddress, _ call: Call) async throws -> Response {
        guard let condition = MatchCondition(call.request.headers[.ifMatch]) else {
            throw ProblemError(.preconditionRequired)
        }
        let text = try await call.text(.trickleFragment)
        guard let fragment = TrickleFragment(text) else { throw ProblemError(.malformedSDP) }
        switch try await store.patch(address, if: condition, text, fragment) {
        case .trickled:
            return Response(status: .noContent)
        case .restarted(let fragment, let etag):
            return Response(
                status: .ok, headers: [.contentType: BodyType.trickleFragment.rawValue, .eTag: etag.quoted],
                body: ResponseBody(byteBuffer: ByteBuffer(string: fragment)))
        }
    }

    private func answer(_ address: SessionAddress, _ call: Call) async throws -> Response {
        let sdp = try await call.text(.sdp)
        guard let outline = SDPOutline(description: sdp) else { throw ProblemError(.malformedSDP) }
        try await store.answer(address, sdp: sdp, ufrags: outline.ufrags)
        return Response(status: .noContent)
    }

    private var leave: Route {
        Route(
            .delete, Self.session, for: .viewer,
            Documentation(
                id: "leaveRoom", summary: "Stop watching.", security: .viewerToken,
                successes: [.init(status: 200, description: "The session is gone.")],
                problems: [.invalidRoomName, .sessionNotFound])
        ) { call in
            try await store.leave(call.session())
            return Response(status: .ok)
        }
    }

    private func look(_ method: HTTPRequest.Method) -> Route {
        Route(
            method, Self.session, for: .viewer,
            Documentation(
                id: method == .get ? "lookAtSession" : "checkSession", summary: "Empty; whether the session exists.",
                security: .viewerToken,
                successes: [.init(status: 200, description: "It does.", headers: ["ETag"])],
                problems: [.invalidRoomName, .sessionNotFound])
        ) { call in
            let session = try await store.session(at: call.session())
            return Response(
                status: .ok,
                headers: [.eTag: session.etag.quoted, .acceptPatch: Self.patch(session.isCountered).rawValue])
        }
    }

    /// What a session takes now.
    private static func patch(_ isCountered: Bool) -> BodyType { isCountered ? .sdp : .trickleFragment }
}
