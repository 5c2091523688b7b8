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
                "state": word(ShareState.Phase.self),
                "viewers": ["type": "integer"],
                "audio": word(RoomState.Audio.self),
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
            "state": word(RoomState.Phase.self),
            "viewers": ["type": "integer", "minimum": 0],
            "tokenRequired": ["type": "boolean"],
            "name": ["type": "string"],
            "audio": word(RoomState.Audio.self),
            "muted": muted,
            "path": word(RoomState.Path.self),
        ], required: ["room", "state", "viewers", "tokenRequired"])

    private static let muted: JSONValue = [
        "type": "array", "items": word(RoomState.Sound.self),
        "description": "Kinds of sound that are shared, but muted.",
    ]

    private static let refusal = object(
        [
            "reason": word(Refusal.Reason.self),
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

    private static func word<Word: OpenWord>(_ type: Word.Type) -> JSONValue { choice(Word.allCases.map(\.rawValue)) }

    /// Of these or, in a later version, of others.
    private static func choice(_ values: [String]) -> JSONValue {
        ["anyOf": [["enum": .list(values.map(JSONValue.text))], ["type": "string"]]]
    }

    private static func object(_ properties: [String: JSONValue], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(properties), "required": .list(required.map(JSONValue.text)),
        ]
    }
}
