import SignalingProtocol

/// The messages as JSON Schema (2020-12, as OpenAPI 3.1 has it).
enum OpenAPISchemas {
    static let all: [String: JSONValue] = [
        "ShareRequest": object(
            [
                "name": line(maxLength: Limits.displayName),
                "viewerToken": token,
                "maxViewers": ["type": "integer", "minimum": 0],
                "resume": object(["shareId": id, "secret": token], required: ["shareId", "secret"]),
                "sessions": [
                    "type": "array",
                    "items": object(
                        ["sessionId": id, "etag": tag, "ufrag": ["type": "string"]], required: ["sessionId", "etag"]),
                ],
            ], required: []),
        "ShareReceipt": object(
            [
                "shareId": id, "secret": token, "resumed": ["type": "boolean"], "epoch": id,
                "eventsUrl": ["type": "string"], "heartbeatSeconds": ["type": "number"],
                "silenceSeconds": ["type": "number"],
            ], required: ["shareId", "secret", "resumed", "eventsUrl", "heartbeatSeconds", "silenceSeconds"]),
        "ShareState": object(
            [
                "state": choice(ShareState.Phase.allCases.map(\.rawValue)),
                "viewers": ["type": "integer"],
                "audio": choice(RoomState.Audio.allCases.map(\.rawValue)),
                "muted": muted,
                "seen": ["type": "integer", "minimum": 0],
                "epoch": id,
                "narrow": ["type": "array", "items": id],
            ], required: ["state", "viewers"]),
        "SessionReply": [
            "oneOf": [
                object(["sdp": ["type": "string"]], required: ["sdp"]),
                object(["refusal": refusal], required: ["refusal"]),
            ]
        ],
        "RestartReply": object(["fragment": ["type": "string"], "restart": tag], required: ["fragment", "restart"]),
        "RoomState": roomState,
        "RoomList": object(
            ["rooms": ["type": "array", "items": ["$ref": "#/components/schemas/RoomState"]]], required: ["rooms"]),
        "Health": object(["status": ["const": "ok"]], required: ["status"]),
        "Problem": object(
            [
                "type": choice(ProblemType.allCases.map(\.uri)),
                "title": ["type": "string"],
                "status": ["type": "integer"],
                "detail": ["type": "string"],
            ], required: ["type", "title", "status"]),
        "OpenAPI": ["type": "object", "description": "This document."],
    ]

    private static let roomState = object(
        [
            "room": ["type": "string", "pattern": "^[A-Za-z0-9._~-]{1,64}$"],
            "state": choice(RoomState.Phase.allCases.map(\.rawValue)),
            "viewers": ["type": "integer", "minimum": 0],
            "tokenRequired": ["type": "boolean"],
            "name": ["type": "string"],
            "audio": choice(RoomState.Audio.allCases.map(\.rawValue)),
            "muted": muted,
            "path": choice(RoomState.Path.allCases.map(\.rawValue)),
        ], required: ["room", "state", "viewers", "tokenRequired"])

    private static let muted: JSONValue = [
        "type": "array", "items": choice(RoomState.Sound.allCases.map(\.rawValue)),
        "description": "Kinds of sound that are shared, but muted.",
    ]

    private static let refusal = object(
        [
            "reason": choice(Refusal.Reason.allCases.map(\.rawValue)),
            "detail": ["type": "string"],
            "counterOffer": ["type": "string", "description": "An SDP offer the viewer may answer."],
        ], required: ["reason"])

    private static let id: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{32}$"]
    private static let tag: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9._~-]{1,64}$"]
    private static let token: JSONValue = [
        "type": "string", "pattern": "^[A-Za-z0-9._~+/-]+=*$", "maxLength": .number(Limits.token),
    ]

    /// One line without controls and without marks that turn the direction of writing.
    private static func line(maxLength: Int) -> JSONValue {
        [
            "type": "string", "maxLength": .number(maxLength),
            "pattern": #"^[^\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]+$"#,
        ]
    }

    private static func choice(_ values: [String]) -> JSONValue {
        ["enum": .list(values.map(JSONValue.text))]
    }

    private static func object(_ properties: [String: JSONValue], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(properties), "required": .list(required.map(JSONValue.text)),
        ]
    }
}
