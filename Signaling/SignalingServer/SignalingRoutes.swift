public import Hummingbird
import HTTPTypes
public import Logging
import SignalingProtocol

/// Everything a signaling server answers to, ready to be added to a router.
///
/// `SignalingServer` is these routes with a listener of their own. An application that has a Hummingbird router already
/// adds them there and lets `run()` go on beside it:
///
/// ```swift
/// let signaling = SignalingRoutes(configuration: configuration, logger: logger)
/// signaling.add(to: router)
/// async let housekeeping: Void = signaling.run()
/// ```
public struct SignalingRoutes: Sendable {
    let store: RoomStore
    let routes: [Route]
    private let guardian: HostGuard
    private let timing: Timing
    private let clock: ServerClock
    private let logger: Logger

    /// The application listens: `port` and `maxConnections` are not looked at, and `host` is only a name that requests
    /// may use.
    public init(configuration: SignalingConfiguration = .init(), logger: Logger) {
        self.init(configuration: configuration, clock: .continuous, logger: logger)
    }

    package init(configuration: SignalingConfiguration, clock: ServerClock, logger: Logger) {
        store = RoomStore(configuration: configuration, clock: clock, logger: logger)
        guardian = HostGuard(configuration)
        timing = configuration.timing
        self.clock = clock
        self.logger = logger
        let api =
            RoomRoutes(store: store, timing: timing).routes + ShareRoutes(store: store, timing: timing).routes
            + WHEPRoutes(store: store, iceServerLinks: configuration.links).routes
            + WHEPSessionRoutes(store: store).routes + RateRoutes(store: store).routes
            + PageRoutes(store: store).routes
        routes = OpenAPIRoute.adding(to: api)
    }

    /// Adds all routes, and an answer to every other method at their addresses.
    ///
    /// They speak HTTP/1.1, and HTTP/2 over TLS; HTTP/2 in clear (`plaintextHTTP2`) can't be told from HTTP/1.1 here.
    public func add<Context: RequestContext>(to router: some RouterMethods<Context>) {
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                await respond(route, to: request, context.parameters)
            }
        }
        for (path, routes) in Dictionary(grouping: routes, by: \.path) {
            let allowed = routes.map(\.method)
            for method in Self.methods where !allowed.contains(method) {
                let refusal = Self.methodRefusal(method, at: path, allowed: allowed, like: routes[0])
                router.on(RouterPath(path), method: method) { request, context in
                    await respond(refusal, to: request, context.parameters)
                }
            }
        }
    }

    /// Looks through the rooms every second until the task is cancelled; without it nobody is told of a sharer that
    /// went silent.
    public func run() async {
        while (try? await clock.sleep(timing.sweep)) != nil {
            await store.sweep()
        }
    }

    /// Ends all streams and all waiting requests, so that a server can stop.
    public func stop() async {
        await store.stop()
    }

    /// RFC 9110 § 9.1 and RFC 5789.
    static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    private static func methodRefusal(
        _ method: HTTPRequest.Method, at path: String, allowed: [HTTPRequest.Method], like route: Route
    ) -> Route {
        let allow = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        let documentation = Documentation(id: "", summary: "", successes: [])
        return Route(method, path, for: route.audience, documentation) { _ in
            throw ProblemError(.methodNotAllowed).with(.allow, allow)
        }
    }

    // MARK: One request

    private func respond(_ route: Route, to request: Request, _ parameters: Parameters) async -> Response {
        let call = Call(request: request, parameters: parameters, bodyDeadline: timing.body, clock: clock)
        let origin = guardian.origin(of: request)
        let roomNeedsToken = await needsToken(call)
        var response: Response
        do {
            try guardian.check(request)
            guard !route.isGuarded || guardian.admits(origin, to: route.audience, roomNeedsToken: roomNeedsToken)
            else { throw ProblemError(.originNotAllowed) }
            response = try await route.handle(call)
        } catch {
            response = failure(error, of: route)
            if request.method == .head { response = response.createHeadResponse() }
        }
        if let allowed = guardian.allowOrigin(origin, to: route.audience, roomNeedsToken: roomNeedsToken) {
            response.headers[.accessControlAllowOrigin] = allowed
            response.headers[.accessControlExposeHeaders] = "Location, ETag, Link, Accept-Patch, Retry-After"
        }
        response.addCommonHeaders()
        // RFC 9113 § 8.2.2: not there, or the answer does not leave.
        if request.isHTTP2 { response.headers[.connection] = nil }
        return response
    }

    private func needsToken(_ call: Call) async -> Bool {
        guard let room = try? call.room() else { return false }
        return await store.viewerToken(in: room) != nil
    }

    private func failure(_ error: any Error, of route: Route) -> Response {
        let problem = ProblemError(error)
        if problem.type == .internalError {
            // The type alone: what an error says may hold what a request held.
            logger.error(
                "A request failed.",
                metadata: ["operation": .string(route.documentation.id), "error": .string("\(type(of: error))")])
        }
        return problem.response
    }
}

extension Request {
    /// Hummingbird says "http" of all that comes by HTTP/1.1, over TLS as well; in HTTP/2 it is what the client says.
    fileprivate var isHTTP2: Bool { head.scheme == "https" }
}

extension Response {
    /// What every answer carries, unless it says otherwise itself.
    mutating func addCommonHeaders() {
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        if !headers.contains(.cacheControl) { headers[.cacheControl] = "no-store" }
        if !headers.contains(.contentSecurityPolicy) {
            headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        headers.append(HTTPField(name: .vary, value: "Origin"))
    }
}
