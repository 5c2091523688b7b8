import FoundationEssentials
import NIOCore
import NIOHTTP1
import SignalingProtocol

extension ServerAddress {
    /// Whether a signaling server answers here, and not any other that has a page for whatever is asked for.
    package func answers() async -> Bool {
        guard let url = try? url("healthz"),
            let reply = try? await HTTPTransport.send(HTTPCall(.GET, url), within: ClientLimits.request), reply.isSuccess
        else { return false }
        return (try? reply.message(Health.self, called: "health"))?.status == Health().status
    }

    /// Asks for a room twice: the first answer takes a connection, and TLS; the second a round trip.
    package func examine(_ room: RoomName) async throws(SignalingError) -> ServerReport {
        let call = HTTPCall(.GET, try url("v1/rooms/\(room)"))
        let clock = ContinuousClock()
        var (times, last) = ([Duration](), nil as HTTPReply?)
        for _ in 0..<2 {
            let start = clock.now
            last = try await HTTPTransport.send(call, within: ClientLimits.examination)
            times.append(clock.now - start)
        }
        guard let last, last.isSuccess else { throw last.map(SignalingError.init) ?? .unreachable(.silent) }
        let state = try last.message(RoomState.self, called: "answer")
        return ServerReport(isSecure: isSecure, firstAnswer: times[0], roundTrip: times[1], room: state)
    }

    package var isSecure: Bool { base.scheme?.lowercased() == "https" }
    package var host: String { base.host ?? "" }
}

/// What was found at a server's address.
package struct ServerReport: Hashable, Sendable {
    package var isSecure: Bool
    /// With the name looked up, the connection, and TLS.
    package var firstAnswer: Duration
    package var roundTrip: Duration
    package var room: RoomState

    package init(isSecure: Bool, firstAnswer: Duration, roundTrip: Duration, room: RoomState) {
        self.isSecure = isSecure
        self.firstAnswer = firstAnswer
        self.roundTrip = roundTrip
        self.room = room
    }
}
