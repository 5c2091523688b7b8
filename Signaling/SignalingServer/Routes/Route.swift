import HTTPTypes
import Hummingbird
import SignalingProtocol

/// One method at one address: what it does, and what the OpenAPI document says about it. The router and the document
/// are made from the same routes.
struct Route: Sendable {
    /// Whom an address is for; it decides which pages may use it.
    enum Audience: Sendable {
        /// States and lists: read by anyone.
        case everyone
        /// The sharer; no page of another origin.
        case sharer
        /// WHEP; pages of other origins where that is allowed.
        case viewer
        /// What a browser shows.
        case page
    }

    typealias Handler = @Sendable (Call) async throws -> Response

    let method: HTTPRequest.Method
    /// With parameters in braces, as both OpenAPI and the router write them.
    let path: String
    let audience: Audience
    let documentation: Documentation
    let handle: Handler

    init(
        _ method: HTTPRequest.Method, _ path: String, for audience: Audience, _ documentation: Documentation,
        handle: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.audience = audience
        self.documentation = documentation
        self.handle = handle
    }

    /// Whether a request may change something, opens what only its owner may open, or takes a place for as long as it stays.
    var isGuarded: Bool {
        audience == .sharer || ![.get, .head, .options].contains(method)
            || documentation.successes.contains { $0.content?.mediaType == ServerSentEvent.mediaType }
    }

    var parameters: [String] {
        path.split(separator: "/").compactMap { part in
            part.first == "{" && part.last == "}" ? String(part.dropFirst().dropLast()) : nil
        }
    }
}

/// What the OpenAPI document says about a route.
struct Documentation: Sendable {
    enum Security: Sendable {
        case none, shareSecret, sharerToken, viewerToken
    }

    struct Content: Sendable {
        var mediaType: String
        /// A schema of the document's components; nil: text.
        var schema: String?
    }

    struct Success: Sendable {
        var status: Int
        var description: String
        var content: Content?
        var headers: [String] = []
    }

    var id: String
    var summary: String
    var security: Security = .none
    var requestFields: [String] = []
    var body: [Content] = []
    var successes: [Success]
    var problems: [ProblemType] = []
}

extension Documentation.Content {
    static func json(_ schema: String) -> Self { .init(mediaType: BodyType.json.rawValue, schema: schema) }
    static let sdp = Self(mediaType: BodyType.sdp.rawValue)
    static let fragment = Self(mediaType: BodyType.trickleFragment.rawValue)
    static let events = Self(mediaType: ServerSentEvent.mediaType)
    static func text(_ mediaType: String) -> Self { .init(mediaType: mediaType) }
}

extension Route {
    /// HEAD for each GET, and OPTIONS for each address (RFC 9110 § 9.3.2, § 9.3.7).
    static func completed(_ routes: [Route]) -> [Route] {
        let paths = Dictionary(grouping: routes, by: \.path)
        let heads = routes.filter { route in
            route.method == .get && paths[route.path]?.contains { $0.method == .head } == false
        }
        let all = routes + heads.map(\.head)
        return all + Dictionary(grouping: all, by: \.path).values.map { options(for: $0) }
    }

    /// Like GET, without the body.
    private var head: Route {
        var documentation = documentation
        documentation.id += "Head"
        documentation.summary = "The header of GET alone."
        documentation.successes = documentation.successes.map { success in
            var success = success
            success.content = nil
            return success
        }
        return Route(.head, path, for: audience, documentation) { call in
            try await handle(call).createHeadResponse()
        }
    }

    private static func options(for routes: [Route]) -> Route {
        let methods = Set(routes.map(\.method.rawValue)).union(["OPTIONS"]).sorted()
        let path = routes[0].path
        let isWHEP = routes[0].audience == .viewer
        // Pages of listed origins read states as well, with a token where the room has one.
        let hasPreflight = isWHEP || routes[0].audience == .everyone
        let posts = routes.first { $0.method == .post }?.documentation.body.map(\.mediaType) ?? []
        let patches = routes.first { $0.method == .patch }?.documentation.body.map(\.mediaType) ?? []
        let documentation = Documentation(
            id: "options" + path.split(separator: "/").map { $0.filter(\.isLetter).capitalized }.joined(),
            summary: "What this address takes\(hasPreflight ? ", and CORS preflight" : "").",
            successes: [.init(status: 200, description: "See the fields.", headers: ["Allow"])],
            problems: path.contains("{room}") ? [.invalidRoomName] : [])
        return Route(.options, path, for: routes[0].audience, documentation) { call in
            if path.contains("{room}") { _ = try call.room() }
            var headers: HTTPFields = [.allow: methods.joined(separator: ", ")]
            // The WHEP draft, "Playback Session Termination": Accept-Post in the answer to any OPTIONS request.
            if isWHEP { headers[.acceptPost] = posts.isEmpty ? BodyType.sdp.rawValue : posts.joined(separator: ", ") }
            if !patches.isEmpty { headers[.acceptPatch] = patches.joined(separator: ", ") }
            if hasPreflight {
                headers[.accessControlAllowMethods] = methods.joined(separator: ", ")
                headers[.accessControlAllowHeaders] = "Authorization, Content-Type, If-Match"
                headers[.accessControlMaxAge] = "600"
            }
            return Response(status: .ok, headers: headers)
        }
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
