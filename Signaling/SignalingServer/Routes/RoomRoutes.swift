import HTTPTypes
import Hummingbird
import SignalingProtocol

/// Rooms as anyone sees them, and the server itself.
struct RoomRoutes: Sendable {
    let store: RoomStore
    let timing: Timing

    private static let room = "/v1/rooms/{room}"

    var routes: [Route] { [list, state, events, health] }

    private var list: Route {
        Route(
            .get, "/v1/rooms", for: .everyone,
            Documentation(
                id: "listRooms", summary: "Rooms that are shared and open to everyone.",
                successes: [.init(status: 200, description: "The rooms.", content: .json("RoomList"))])
        ) { _ in
            try await .json(store.list())
        }
    }

    private var state: Route {
        Route(
            .get, Self.room, for: .everyone,
            Documentation(
                id: "roomState",
                summary: "A room's state. A name nobody uses is a room that waits. With `?session=`, a WHEP session, also "
                    + "what the path to that viewer lets through.",
                security: .viewerToken, requestFields: ["session"],
                successes: [.init(status: 200, description: "The state.", content: .json("RoomState"))],
                problems: [.invalidRoomName])
        ) { call in
            try await .json(store.state(of: call.room(), for: call.askedSession, presented: call.bearer))
        }
    }

    private var events: Route {
        Route(
            .get, Self.room + "/events", for: .everyone,
            Documentation(
                id: "roomEvents",
                summary:
                    "The room's state (event `state`) at first and after each change; `ended` when the sharer ends. With "
                    + "`?session=` as for the state.",
                security: .viewerToken, requestFields: ["session"],
                successes: [.init(status: 200, description: "A stream that stays open.", content: .events)],
                problems: [.invalidRoomName, .serverBusy])
        ) { call in
            let room = try call.room()
            try call.requireNoBody()
            try await store.canWatch(room, as: call.askedSession)
            return EventStream.response(to: call, heartbeat: timing.watchHeartbeat) {
                try await store.watch(room, as: call.askedSession, presented: call.bearer)
            }
        }
    }

    private var health: Route {
        Route(
            .get, "/healthz", for: .everyone,
            Documentation(
                id: "health", summary: "Whether the server runs.",
                successes: [.init(status: 200, description: "It does.", content: .json("Health"))])
        ) { _ in
            try .json(Health())
        }
    }
}
