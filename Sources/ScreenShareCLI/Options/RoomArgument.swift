import ArgumentParser
import SignalingServer

/// The room's name that `host`, `view` and `doctor` take.
enum RoomArgument {
    static func check(_ text: String) throws {
        if RoomName(text) == nil {
            throw ValidationError("A room's name has letters, digits and . _ ~ -, at most 64 of them.")
        }
    }
}
