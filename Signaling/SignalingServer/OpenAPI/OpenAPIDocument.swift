import HTTPTypes
import SignalingProtocol

/// The OpenAPI 3.1 document, made from the routes that are served.
struct OpenAPIDocument {
    let routes: [Route]

    var json: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Screen sharing: signaling",
                "version": "1",
                "description": """
                Brings the sharer of a screen and its viewers together. Viewers join by WHEP \
                (draft-ietf-wish-whep); the sharer hears of them by server-sent events. Errors are problem details \
                (RFC 9457). Fields, words and events may be added within `/v1`: pass over those that you don't know.
                """,
            ],
            "paths": .object(Dictionary(grouping: routes, by: \.path).mapValues(item)),
            "components": [
                "schemas": .object(OpenAPISchemas.all),
                "parameters": .object(Self.parameters.merging(Self.fields) { first, _ in first }),
                "securitySchemes": .object(
                    Dictionary(
                        uniqueKeysWithValues: Self.securitySchemes.map { name, text in
                            (name, ["type": "http", "scheme": "bearer", "description": .text(text)])
                        })),
            ],
        ]
    }

    // MARK: Paths

    private func item(_ routes: [Route]) -> JSONValue {
        var item = Dictionary(
            uniqueKeysWithValues: routes.map { ($0.method.rawValue.lowercased(), operation($0)) })
        let parameters = routes.first?.parameters ?? []
        if !parameters.isEmpty { item["parameters"] = .list(parameters.map { Self.reference("parameters", $0) }) }
        return .object(item)
    }

    private func operation(_ route: Route) -> JSONValue {
        let documentation = route.documentation
        var operation: [String: JSONValue] = [
            "operationId": .text(documentation.id),
            "summary": .text(documentation.summary),
            "responses": .object(responses(route)),
        ]
        if !documentation.requestFields.isEmpty {
            operation["parameters"] = .list(documentation.requestFields.map { Self.reference("parameters", $0) })
        }
        if !documentation.body.isEmpty {
            operation["requestBody"] = ["required": true, "content": content(documentation.body)]
        }
        switch documentation.security {
        case .none: break
        case .shareSecret: operation["security"] = [["shareSecret": []]]
        case .sharerToken: operation["security"] = [[:], ["sharerToken": []], ["shareSecret": []]]
        case .viewerToken: operation["security"] = [[:], ["viewerToken": []]]
        }
        return .object(operation)
    }

    private func responses(_ route: Route) -> [String: JSONValue] {
        var responses: [String: JSONValue] = [:]
        for success in route.documentation.successes {
            var response: [String: JSONValue] = ["description": .text(success.description)]
            if let body = success.content { response["content"] = content([body]) }
            if !success.headers.isEmpty {
                response["headers"] = .object(
                    Dictionary(uniqueKeysWithValues: success.headers.map { ($0, ["schema": ["type": "string"]]) }))
            }
            responses[String(success.status)] = .object(response)
        }
        for (status, problems) in Dictionary(grouping: route.problems, by: \.status) {
            responses[String(status)] = problem(problems, hasBody: route.method != .head)
        }
        return responses
    }

    private func problem(_ types: [ProblemType], hasBody: Bool) -> JSONValue {
        let lines = types.sorted { $0.rawValue < $1.rawValue }.map { "`\($0.rawValue)`: \($0.title)" }
        var response: [String: JSONValue] = ["description": .text(lines.joined(separator: "\n\n"))]
        if hasBody { response["content"] = content([.init(mediaType: Problem.mediaType, schema: "Problem")]) }
        return .object(response)
    }

    private func content(_ bodies: [Documentation.Content]) -> JSONValue {
        let types = bodies.map { body -> (String, JSONValue) in
            let schema = body.schema.map { Self.reference("schemas", $0) } ?? ["type": "string"]
            return (body.mediaType, ["schema": schema])
        }
        return .object(Dictionary(uniqueKeysWithValues: types))
    }

    private static func reference(_ kind: String, _ name: String) -> JSONValue {
        ["$ref": .text("#/components/\(kind)/\(name)")]
    }

    // MARK: Components

    private static let parameters: [String: JSONValue] = [
        "room": path("room", pattern: "^[A-Za-z0-9._~-]{1,64}$", "A room's name; `.` and `..` are none."),
        "shareId": path("shareId", pattern: "^[0-9a-f]{32}$", "A share, as `openShare` named it."),
        "sessionId": path("sessionId", pattern: "^[0-9a-f]{32}$", "A session, as its `Location` named it."),
        "file": path("file", pattern: "^[a-z.]+$", "A file of the web viewer."),
    ]

    private static let fields: [String: JSONValue] = [
        "If-Match": field("If-Match", "The session's ETag, or `*`. Needed for trickle fragments."),
        "Last-Event-ID": field("Last-Event-ID", "The number of the last event that was taken in."),
        "bytes": [
            "name": "bytes", "in": "query", "description": "How many; 64 KiB where it is missing.",
            "schema": ["type": "integer", "minimum": 1, "maximum": .number(ServerLimits.transferBytes)],
        ],
        "session": field("session", in: "query", "The asking viewer's own WHEP session, by the last part of its address."),
    ]

    private static let securitySchemes = [
        "shareSecret": "The secret that came with the share.",
        "sharerToken": "What this server asks of sharers, where it does.",
        "viewerToken": "What the room asks of viewers, where it does.",
    ]

    private static func path(_ name: String, pattern: String, _ description: String) -> JSONValue {
        [
            "name": .text(name), "in": "path", "required": true, "description": .text(description),
            "schema": ["type": "string", "pattern": .text(pattern)],
        ]
    }

    private static func field(_ name: String, in place: String = "header", _ description: String) -> JSONValue {
        ["name": .text(name), "in": .text(place), "description": .text(description), "schema": ["type": "string"]]
    }
}

extension Route {
    /// All problems a request can meet here: the route's own, and those of every request of its kind.
    var problems: Set<ProblemType> {
        var problems = Set(documentation.problems).union([.malformedRequest, .hostNotAllowed])
        if isGuarded { problems.insert(.originNotAllowed) }
        if !documentation.body.isEmpty {
            problems.formUnion([.requestTimeout, .contentTooLarge, .unsupportedMediaType])
        }
        return problems
    }
}
