import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// What a sharer uses: it takes a room, hears of viewers by server-sent events and answers them.
struct ShareRoutes: Sendable {
    let store: RoomStore
    let timing: Timing

    private static let base = "/v1/rooms/{room}/share"
    private static let share = base + "/{shareId}"
    private static let session = share + "/sessions/{sessionId}"

    var routes: [Route] { [open, events, state, close, answer, fragment, dismiss] }

    private var open: Route {
        Route(
            .post, Self.base, for: .sharer,
            Documentation(
                id: "openShare",
                summary: "Take a room. Whoever brings the secret of the room's share gets that share again.",
                security: .sharerToken, body: [.json("ShareRequest")],
                successes: [
                    .init(
                        status: 201, description: "The room is yours.", content: .json("ShareReceipt"),
                        headers: ["Location"])
                ],
                problems: [
                    .invalidRoomName, .malformedJSON, .tokenRequired, .tokenRejected, .sharingNotAllowed, .roomTaken,
                    .serverBusy,
                ])
        ) { call in
            let room = try call.room()
            let request = try await call.message(ShareRequest.self, upTo: Limits.registration)
            let receipt = try await store.open(room, request, presented: call.bearer)
            return try .json(
                receipt, status: .created, headers: [.location: "/v1/rooms/\(room)/share/\(receipt.shareId.text)"])
        }
    }

    private var events: Route {
        Route(
            .get, Self.share + "/events", for: .sharer,
            Documentation(
                id: "shareEvents",
                summary: "Events for the sharer: offer, candidates, answer, left. Numbered; kept until they are seen.",
                security: .shareSecret, requestFields: ["Last-Event-ID"],
                successes: [.init(status: 200, description: "A stream that stays open.", content: .events)],
                problems: [.invalidRoomName, .shareNotFound])
        ) { call in
            let address = try call.share()
            try call.requireNoBody()
            _ = try await store.share(at: address)
            let last = call.request.headers[.lastEventID].flatMap { UInt64($0) }
            return EventStream.response(to: call, heartbeat: timing.shareHeartbeat) {
                try await store.listen(address, after: last)
            }
        }
    }

    private var state: Route {
        Route(
            .put, Self.share + "/state", for: .sharer,
            Documentation(
                id: "putShareState", summary: "Say that the sharer is alive, at least every `heartbeatSeconds` of the receipt.",
                security: .shareSecret, body: [.json("ShareState")],
                successes: [.init(status: 204, description: "Heard.")],
                problems: [.invalidRoomName, .malformedJSON, .shareNotFound])
        ) { call in
            let address = try call.share()
            try await store.update(address, call.message(ShareState.self))
            return Response(status: .noContent)
        }
    }

    private var close: Route {
        Route(
            .delete, Self.share, for: .sharer,
            Documentation(
                id: "closeShare", summary: "End the sharing.", security: .shareSecret,
                successes: [.init(status: 204, description: "The room is free.")],
                problems: [.invalidRoomName, .shareNotFound])
        ) { call in
            try await store.close(call.share())
            return Response(status: .noContent)
        }
    }

    private var answer: Route {
        Route(
            .post, Self.session + "/answer", for: .sharer,
            Documentation(
                id: "answerOffer", summary: "Answer an offer, or refuse it, with or without a counter-offer.",
                security: .shareSecret, body: [.json("SessionReply")],
                successes: [.init(status: 204, description: "The viewer has it.")],
                problems: [
                    .invalidRoomName, .malformedJSON, .malformedSDP, .shareNotFound, .sessionNotFound, .alreadyAnswered,
                ])
        ) { call in
            let address = try call.share()
            try await store.reply(address, to: call.sessionId, call.message(SessionReply.self))
            return Response(status: .noContent)
        }
    }

    private var fragment: Route {
        Route(
            .post, Self.session + "/fragment", for: .sharer,
            Documentation(
                id: "answerRestart", summary: "Answer an ICE restart.", security: .shareSecret,
                body: [.json("RestartReply")],
                successes: [.init(status: 204, description: "The viewer has it.")],
                problems: [
                    .invalidRoomName, .malformedJSON, .malformedSDP, .shareNotFound, .sessionNotFound,
                    .restartSuperseded,
                ])
        ) { call in
            let address = try call.share()
            try await store.reply(address, to: call.sessionId, call.message(RestartReply.self))
            return Response(status: .noContent)
        }
    }

    private var dismiss: Route {
        Route(
            .delete, Self.session, for: .sharer,
            Documentation(
                id: "dismissSession", summary: "A session has ended on the sharer's side.", security: .shareSecret,
                successes: [.init(status: 204, description: "Forgotten.")],
                problems: [.invalidRoomName, .shareNotFound, .sessionNotFound])
        ) { call in
            try await store.dismiss(call.share(), call.sessionId)
            return Response(status: .noContent)
        }
    }
}

extension Response {
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = BodyType.json.rawValue
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: try JSON.encode(value)))
    }
}
