import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// What a sharer measures the way to this server with: bytes that nobody keeps, few and seldom.
struct RateRoutes: Sendable {
    let store: RoomStore

    private static let path = "/v1/rooms/{room}/rate"
    private static let problems: [ProblemType] = [
        .invalidRoomName, .tokenRequired, .tokenRejected, .sharingNotAllowed, .tooManyRequests,
    ]
    private static let largest = ServerLimits.transferBytes

    var routes: [Route] { [down, up] }

    private var down: Route {
        Route(
            .get, Self.path, for: .sharer,
            Documentation(
                id: "measureDown",
                summary: "So many random bytes (`?bytes=`, at most \(Self.largest)) for who may share in the room.",
                security: .sharerToken, requestFields: ["bytes"],
                successes: [.init(status: 200, description: "The bytes.", content: .bytes)], problems: Self.problems)
        ) { call in
            try await store.takeTransfer(in: call.room(), presented: call.bearer)
            let wanted = call.request.uri.queryParameters.get("bytes").map { Int($0) } ?? ServerLimits.transferChunk
            guard let wanted, (1...Self.largest).contains(wanted) else {
                throw ProblemError(.malformedRequest, detail: "bytes is a number from 1 to \(Self.largest).")
            }
            return Response(
                status: .ok, headers: [.contentType: BodyType.bytes.rawValue], body: Self.body(wanted, call))
        }
    }

    /// Piece by piece, as the reader takes them; who takes too long gets no more.
    private static func body(_ count: Int, _ call: Call) -> ResponseBody {
        ResponseBody { writer in
            let end = call.clock.now() + ServerLimits.transferTime
            var left = count
            while left > 0, call.clock.now() < end {
                let piece = chunk.getSlice(at: 0, length: min(left, chunk.readableBytes)) ?? ByteBuffer()
                try await writer.write(piece)
                left -= piece.readableBytes
            }
            try await writer.finish(nil)
        }
    }

    /// Random, so that nothing on the way makes it smaller.
    private static let chunk: ByteBuffer = {
        var random = SystemRandomNumberGenerator()
        var bytes = ByteBuffer()
        while bytes.readableBytes < ServerLimits.transferChunk { bytes.writeInteger(random.next()) }
        return bytes
    }()

    private var up: Route {
        Route(
            .put, Self.path, for: .sharer,
            Documentation(
                id: "measureUp", summary: "Takes at most \(Self.largest) bytes and keeps none.",
                security: .sharerToken, body: [.bytes], successes: [.init(status: 204, description: "They are here.")],
                problems: Self.problems)
        ) { call in
            try await store.takeTransfer(in: call.room(), presented: call.bearer)
            try await call.discard(.bytes, upTo: Self.largest)
            return Response(status: .noContent)
        }
    }
}

extension Documentation.Content {
    fileprivate static let bytes = Self(mediaType: BodyType.bytes.rawValue)
}
