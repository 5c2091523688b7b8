import ScreenShare

/// The ten-line start: shares a test pattern in room "demo" of a server on this machine (`screenshare serve`).
@main
struct TestPattern {
    static func main() async throws {
        let session = ShareSession(configuration: ShareConfiguration(source: .testPattern(width: 1280, height: 720)))
        try await session.start()
        let room = try await session.publish(RoomPublication(server: "http://127.0.0.1:8080", room: "demo"))
        print("Open http://127.0.0.1:8080/r/demo in a browser.")
        for await event in session.events { print(event) }
        await room.end()
    }
}
