import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// A response that goes on for as long as its reader stays: `text/event-stream`.
enum EventStream {
    static func response(
        to call: Call, heartbeat: Duration, open: @escaping @Sendable () async throws -> EventChannel
    ) -> Response {
        let body = ResponseBody { writer in
            let channel = try await open()
            do {
                // Reading on is how the end of the connection is noticed at once.
                try await call.request.body.consumeWithCancellationOnInboundClose { body in
                    // There is none, but Hummingbird traps where this returns before it has seen the request's end.
                    for try await _ in body {}
                    try await write(channel, heartbeat: heartbeat, clock: call.clock, to: &writer)
                }
            } catch {
                await channel.close()
                throw error
            }
            await channel.close()
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: ServerSentEvent.mediaType, .accelBuffering: "no", .connection: "close"],
            body: body)
    }

    private static func write(
        _ channel: EventChannel, heartbeat: Duration, clock: ServerClock, to writer: inout any ResponseBodyWriter
    ) async throws {
        // A first comment, so that proxies and readers see at once that the stream is open.
        channel.continuation.yield(.heartbeat)
        let pulse = Task {
            while true {
                try await clock.sleep(heartbeat)
                channel.continuation.yield(.heartbeat)
            }
        }
        defer { pulse.cancel() }
        for await part in channel.parts {
            switch part {
            case .event(let event):
                try await writer.write(ByteBuffer(string: event.text))
                await channel.wrote(event)
            case .heartbeat: try await writer.write(ByteBuffer(string: ServerSentEvent.heartbeat))
            }
        }
        try Task.checkCancellation()
    }
}
