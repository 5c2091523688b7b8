/// A room in which the share is found again.
public struct RoomReturn: Hashable, Sendable {
    /// `RoomPublication.room`.
    public let room: String
    /// `RoomPublication.server`.
    public let server: String
}
