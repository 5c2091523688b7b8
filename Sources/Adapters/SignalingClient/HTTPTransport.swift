import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import SignalingProtocol

/// One client for all requests of the process, few connections, one for those that are held, and one for its streams;
/// HTTP/1.1, a thread each, started when it is first needed.
enum HTTPTransport {
    private static let client = makeClient(connections: ClientLimits.connectionsPerHost)
    /// What waits for the other side holds up nothing that the other side says: both may be in this process.
    private static let held = makeClient(connections: ClientLimits.heldPerHost)
    /// No request waits until a stream ends.
    private static let streams = makeClient(connections: ClientLimits.streamsPerHost)

    private static func makeClient(connections: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: ClientLimits.connect)
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.connectionPool = .init(
            idleTimeout: ClientLimits.idleConnection,
            concurrentHTTP1ConnectionsPerHostSoftLimit: connections)
        // A refused connection is an answer: the one who asked decides about another try.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            configuration: configuration)
    }

    /// Sends a request and reads the whole response.
    ///
    /// - Parameters:
    ///   - isHeld: the server waits for the other side before it answers.
    ///   - begun: told of the response before its body is read, which may break off.
    static func send(
        _ request: HTTPCall, within limit: Duration, isHeld: Bool = false,
        begun: @escaping @Sendable (HTTPReply) -> Void = { _ in }
    ) async throws(SignalingError) -> HTTPReply {
        let client = isHeld ? Self.held : Self.client
        return try await typed {
            try await withDeadline(limit) {
                let response = try await client.execute(request.wire, deadline: .distantFuture)
                var reply = HTTPReply(
                    url: request.url, status: Int(response.status.code), headers: response.headers, body: ByteBuffer())
                begun(reply)
                reply.body = try await response.body.collect(upTo: ClientLimits.body)
                return reply
            }
        }
    }

    /// Sends a request, reads the whole response and keeps nothing but its length.
    static func count(_ request: HTTPCall, within limit: Duration) async throws(SignalingError) -> Int {
        try await typed {
            try await withDeadline(limit) {
                let response = try await client.execute(request.wire, deadline: .distantFuture)
                guard response.status == .ok else {
                    let body = try await response.body.collect(upTo: ClientLimits.body)
                    throw SignalingError(
                        HTTPReply(
                            url: request.url, status: Int(response.status.code), headers: response.headers, body: body))
                }
                var count = 0
                for try await piece in response.body {
                    count += piece.readableBytes
                    if count > ClientLimits.transfer { throw SignalingError.unreadable("answer") }
                }
                return count
            }
        }
    }

    /// Sends a request and hands on each piece of the body as it comes, until the stream ends or `take` throws.
    static func stream(
        _ request: HTTPCall, take: @Sendable (ByteBuffer) async throws -> Void
    ) async throws(SignalingError) {
        try await typed {
            let response = try await withDeadline(ClientLimits.request) {
                try await streams.execute(request.wire, deadline: .distantFuture)
            }
            guard response.status == .ok else {
                let body = try await withDeadline(ClientLimits.request) {
                    try await response.body.collect(upTo: ClientLimits.body)
                }
                throw SignalingError(
                    HTTPReply(
                        url: request.url, status: Int(response.status.code), headers: response.headers, body: body))
            }
            for try await piece in response.body { try await take(piece) }
        }
    }

    // MARK: Parts

    private static func withDeadline<Value: Sendable>(
        _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: operation)
            group.addTask {
                try await Task.sleep(for: limit)
                throw SignalingError.unreachable(.timeout)
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// Runs something that throws whatever the libraries below throw, and says it in our words.
    private static func typed<Value: Sendable>(
        _ operation: () async throws -> Value
    ) async throws(SignalingError) -> Value {
        do {
            return try await operation()
        } catch {
            throw Task.isCancelled ? .cancelled : SignalingError(transport: error)
        }
    }
}

/// A request to send.
struct HTTPCall: Sendable {
    var url: URL
    var method: HTTPMethod
    var headers: HTTPHeaders = [:]
    var body: ByteBuffer?

    init(_ method: HTTPMethod, _ url: URL, token: BearerToken? = nil) {
        self.method = method
        self.url = url
        if let token { headers.add(name: "Authorization", value: token.authorization) }
    }

    func with(_ name: String, _ value: String?) -> HTTPCall {
        guard let value else { return self }
        var call = self
        call.headers.replaceOrAdd(name: name, value: value)
        return call
    }

    func with(body: ByteBuffer, type: String) -> HTTPCall {
        var call = with("Content-Type", type)
        call.body = body
        return call
    }

    fileprivate var wire: HTTPClientRequest {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = method
        request.headers = headers
        // What must not be sent twice leaves no connection to the next such: that may find it closing at the other end.
        // One that a GET or PUT has left is taken all the same.
        if method != .GET, method != .PUT { request.headers.replaceOrAdd(name: "Connection", value: "close") }
        request.body = body.map { .bytes($0) }
        return request
    }
}
