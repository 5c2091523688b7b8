/// A room in which nobody finds the share for now.
public struct RoomLoss: Hashable, Sendable {
    /// `RoomPublication.room`.
    public let room: String
    /// `RoomPublication.server`.
    public let server: String
    /// Why, for a program: what `ShareSession.publish` would throw there.
    public let error: ShareError
    /// Why, for a person, as a part of a sentence: `somebody else is sharing in this room`.
    public let reason: String
}
