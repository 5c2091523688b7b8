import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// One request, as the handlers see it: what they ask of it is checked on the way.
struct Call: Sendable {
    let request: Request
    let parameters: Parameters
    let bodyDeadline: Duration
    let clock: ServerClock

    // MARK: Addresses

    /// `%7E` is `~`: some encode what needs it not (RFC 3986 § 2.3).
    func room() throws(ProblemError) -> RoomName {
        guard let text = parameters.get("room")?.percentDecoded, let room = RoomName(text) else {
            throw ProblemError(.invalidRoomName)
        }
        return room
    }

    /// The share that is addressed; everything that isn't one meets the same answer as a wrong secret.
    func share() throws(ProblemError) -> ShareAddress {
        let room = try room()
        guard let text = parameters.get("shareId"), let id = RandomID(text), let secret = bearer else {
            throw ProblemError(.shareNotFound)
        }
        return ShareAddress(room: room, id: id, secret: secret)
    }

    /// The session that is addressed.
    func session() throws(ProblemError) -> SessionAddress {
        let room = try room()
        guard let id = sessionId else { throw ProblemError(.sessionNotFound) }
        return SessionAddress(room: room, id: id, token: bearer)
    }

    var sessionId: RandomID? { parameters.get("sessionId").flatMap { RandomID($0) } }

    /// The session of whoever asks, where it says which.
    var askedSession: RandomID? { request.uri.queryParameters.get("session").flatMap { RandomID($0) } }

    // MARK: Fields

    var bearer: BearerToken? { request.headers[.authorization].flatMap { BearerToken(authorization: $0) } }

    /// As browsers do that are about to show it to a person.
    var acceptsHTML: Bool { request.headers[.accept]?.contains("text/html") == true }

    /// RFC 9110 § 12.5.3; who names no codings, or only some that we don't have, gets none.
    var acceptsGzip: Bool {
        let codings = request.headers[.acceptEncoding]?.lowercased().split(separator: ",") ?? []
        return codings.contains { coding in
            let parts = coding.split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " && $0 != "\t" } }
            return parts.first == "gzip" && !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }

    /// The body's media type without its parameters.
    var contentType: String? {
        request.headers[.contentType]?.split(separator: ";").first?
            .filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// Turns away a body of another type, or one that says itself that it is too large.
    func require(_ type: BodyType, upTo limit: Int = Limits.body) throws(ProblemError) {
        guard contentType == type.rawValue else {
            throw ProblemError(.unsupportedMediaType, detail: "\(type.rawValue) is taken here.")
        }
        guard (request.headers[.contentLength].flatMap { Int($0) } ?? 0) <= limit else {
            throw ProblemError(.contentTooLarge).with(.connection, "close")
        }
    }

    /// Turns away a body where none is read: it would hold a stream, and what that watches, for ever.
    func requireNoBody() throws(ProblemError) {
        let isEmpty = request.headers[.transferEncoding] == nil && request.headers[.contentLength] ?? "0" == "0"
        guard isEmpty else {
            throw ProblemError(.malformedRequest, detail: "This address takes no body.").with(.connection, "close")
        }
    }

    // MARK: Bodies

    func message<Message: Decodable>(_ type: Message.Type, upTo limit: Int = Limits.body) async throws -> Message {
        try require(.json, upTo: limit)
        return try JSON.decode(type, from: try await collect(request.body, upTo: limit))
    }

    func text(_ type: BodyType) async throws -> String {
        try require(type)
        return try await text(of: request.body)
    }

    /// The body as text; SDP is UTF-8 (RFC 8866 § 5).
    func text(of body: RequestBody) async throws -> String {
        let buffer = try await collect(body)
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
            throw ProblemError(.malformedSDP)
        }
        return text
    }

    /// The whole body, unless it is too large or too slow.
    private func collect(_ body: RequestBody, upTo limit: Int = Limits.body) async throws -> ByteBuffer {
        try await inTime { try await body.collect(upTo: limit) }
    }

    /// Reads a body to its end and keeps nothing of it.
    func discard(_ type: BodyType, upTo limit: Int) async throws {
        try require(type, upTo: limit)
        try await inTime { [body = request.body] in
            var count = 0
            for try await piece in body {
                count += piece.readableBytes
                if count > limit { throw ProblemError(.contentTooLarge).with(.connection, "close") }
            }
        }
    }

    private func inTime<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: read)
            group.addTask {
                try await clock.sleep(bodyDeadline)
                throw ProblemError(.requestTimeout).with(.connection, "close")
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

extension String {
    /// RFC 3986 § 2.1, once; nil where two digits are missing, or what comes of it is no UTF-8.
    fileprivate var percentDecoded: String? {
        var (rest, decoded) = (utf8[...], [UInt8]())
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        Character(UnicodeScalar(self)).hexDigitValue.map { UInt8($0) }
    }
}

/// The media types that are read here.
enum BodyType: String, Sendable {
    case json = "application/json"
    case sdp = "application/sdp"
    case trickleFragment = "application/trickle-ice-sdpfrag"
    case bytes = "application/octet-stream"
}
