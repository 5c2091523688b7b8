import FoundationEssentials
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import SignalingProtocol

/// A room's server-sent events, as one viewer hears them.
struct RoomStream {
    let url: URL

    /// Tells each state until the stream ends; why it did. A stream without its heartbeats is dead: this side writes
    /// nothing on it, and would never know.
    func read(_ told: @escaping @Sendable (RoomState) async -> Void) async -> SignalingError {
        let heard = NIOLockedValueBox(ContinuousClock.now)
        return await withTaskGroup(of: SignalingError.self) { group in
            defer { group.cancelAll() }
            group.addTask { await receive(heard, told) }
            group.addTask { await Self.silence(heard) }
            return await group.next() ?? .cancelled
        }
    }

    private func receive(
        _ heard: NIOLockedValueBox<ContinuousClock.Instant>, _ told: @Sendable (RoomState) async -> Void
    ) async -> SignalingError {
        let parser = EventParser()
        let call = HTTPCall(.GET, url, token: nil).with("Accept", ServerSentEvent.mediaType)
        do throws(SignalingError) {
            try await HTTPTransport.stream(call) { piece in
                heard.withLockedValue { $0 = .now }
                for event in try await parser.receive(piece.readableBytesView) where event.name == "state" {
                    let data = ByteBuffer(string: event.data)
                    if let room = try? JSONCoding.decode(RoomState.self, from: data) { await told(room) }
                }
            }
            return .unreachable(.brokenOff)
        } catch {
            return error
        }
    }

    private static func silence(_ heard: NIOLockedValueBox<ContinuousClock.Instant>) async -> SignalingError {
        while true {
            let left = ClientLimits.monitorSilence - (.now - heard.withLockedValue(\.self))
            guard left > .zero else { return .unreachable(.silent) }
            guard (try? await Task.sleep(for: left)) != nil else { return .cancelled }
        }
    }
}
