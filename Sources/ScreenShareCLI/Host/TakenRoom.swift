import ScreenShare

/// A room that is taken: a share that was killed keeps its room for some seconds, and the next is often the same one's.
enum TakenRoom {
    /// A server without a word from its sharer gives the room away after five seconds, where viewers need no token.
    private static let patience = Duration.seconds(6)

    /// Asks once more where the room may be free that soon.
    static func askedTwice<Room: Sendable>(
        _ publish: () async throws -> Room,
        pause: (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        tell: (String) -> Void = Console.line
    ) async throws -> Room {
        do {
            return try await publish()
        } catch ShareError.roomTaken(let time) where time <= patience {
            tell(
                "Somebody is sharing in this room, or was until a moment ago; asking once more in "
                    + "\(time.components.seconds) s.")
            try await pause(time)
        }
        do {
            return try await publish()
        } catch ShareError.roomTaken(retryAfter: _) {
            throw Failure(.unavailable, "somebody else is sharing in this room; choose another name")
        }
    }
}
