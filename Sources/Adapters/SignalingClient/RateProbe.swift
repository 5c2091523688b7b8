import NIOCore
import NIOHTTP1
import SignalingProtocol

/// Bytes that went over one connection, and how long that took from the request to the end of the answer. What that
/// makes in a second is less than the way takes: a round trip and TCP's beginnings are in it.
package struct Transfer: Hashable, Sendable {
    package var bytes: Int
    package var time: Duration

    package init(bytes: Int, time: Duration) {
        self.bytes = bytes
        self.time = time
    }

    package var bitsPerSecond: Double { time > .zero ? Double(bytes) * 8 / (time / .seconds(1)) : 0 }

    /// As much as fits into the time that is wished for, by what this one took.
    func next(within time: Duration) -> Int {
        let fitting = Double(bytes) * (time / max(self.time, .microseconds(1)))
        return Int(min(max(fitting, Double(ClientLimits.firstTransfer)), Double(ClientLimits.transfer)))
    }
}

/// How much the way to a signaling server takes, by bytes that it gives and takes for that alone.
package struct RateProbe: Sendable {
    package enum Direction: Sendable {
        case up, down
    }

    private let server: ServerAddress
    private let room: RoomName
    private let token: BearerToken?

    package init(_ server: ServerAddress, room: RoomName, token: BearerToken? = nil) {
        self.server = server
        self.room = room
        self.token = token
    }

    /// A few bytes first, then as many as take about a second; little more than two at most.
    package func measure(_ direction: Direction) async throws(SignalingError) -> Transfer {
        let clock = ContinuousClock()
        let end = clock.now + ClientLimits.measurement
        let first = try await transfer(ClientLimits.firstTransfer, direction, until: end)
        if first.time > ClientLimits.transferTime { return first }
        // Where the second doesn't come to its end in time, the first is what is known.
        let second = try? await transfer(first.next(within: ClientLimits.transferTime), direction, until: end)
        return second ?? first
    }

    private func transfer(
        _ bytes: Int, _ direction: Direction, until end: ContinuousClock.Instant
    ) async throws(SignalingError) -> Transfer {
        let clock = ContinuousClock()
        let start = clock.now
        let limit = end - start
        switch direction {
        case .down:
            let call = HTTPCall(.GET, try server.url("v1/rooms/\(room)/rate?bytes=\(bytes)"), token: token)
            let count = try await HTTPTransport.count(call, within: limit)
            return Transfer(bytes: count, time: clock.now - start)
        case .up:
            var random = SystemRandomNumberGenerator()
            var body = ByteBuffer()
            body.reserveCapacity(bytes)
            while body.readableBytes < bytes { body.writeInteger(random.next()) }
            let call = HTTPCall(.PUT, try server.url("v1/rooms/\(room)/rate"), token: token)
                .with(body: body, type: "application/octet-stream")
            let began = clock.now
            let reply = try await HTTPTransport.send(call, within: limit)
            guard reply.isSuccess else { throw SignalingError(reply) }
            return Transfer(bytes: body.readableBytes, time: clock.now - began)
        }
    }
}
