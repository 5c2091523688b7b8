import ScreenShare

/// Pictures and sound of a program's own: a white flash and a click together, once a second, in room "demo" of a server on
/// this machine (`screenshare serve`). What a viewer sees and hears apart, the way between did.
@main
struct FlashAndClick {
    static let pictures = CustomVideoSource()
    static let sound = CustomAudioSource()

    static func main() async throws {
        var configuration = ShareConfiguration(source: .custom(pictures))
        configuration.audio = AudioConfiguration(system: .custom(sound))
        configuration.mode = .motion
        let session = ShareSession(configuration: configuration)
        try await session.start()
        let room = try await session.publish(RoomPublication(server: "http://127.0.0.1:8080", room: "demo"))
        print("Open http://127.0.0.1:8080/r/demo in a browser.")
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await paint(since: begin) }
            tasks.addTask { try await click(since: begin) }
            tasks.addTask { for await event in session.events { print(event) } }
            // The share's end ends the others, and so does a push that is refused.
            try await tasks.next()
            tasks.cancelAll()
        }
        await room.end()
    }

    /// 30 pictures a second with a moving bar; the first three of a second are white.
    static func paint(since begin: ContinuousClock.Instant) async throws {
        let (width, height) = (640, 360)
        for picture in 0... {
            let time = Duration.nanoseconds(picture * 1_000_000_000 / 30)
            try await Task.sleep(until: begin + time)
            var pixels = [UInt8](repeating: picture % 30 < 3 ? 235 : 16, count: width * height * 4)
            for row in height - 20..<height {
                let bar = (row * width + picture * 7 % (width - 40)) * 4
                for byte in bar..<bar + 160 { pixels[byte] = 128 }
            }
            try pictures.push(pixels.span.bytes, format: .bgra, width: width, height: height, timestamp: time)
        }
    }

    /// 48 kHz, 20 ms at a time; the first 10 ms of a second are a 2 kHz square wave.
    static func click(since begin: ContinuousClock.Instant) async throws {
        for block in 0... {
            let time = Duration.milliseconds(20 * block)
            // The last frame of a block has been heard by then.
            try await Task.sleep(until: begin + time + .milliseconds(20))
            let isClick = block % 50 == 0
            let samples = (0..<960).map { isClick && $0 < 480 ? ($0 / 12 % 2 == 0 ? Float(0.5) : -0.5) : 0 }
            try sound.push(
                samples.span.bytes, encoding: .float32, sampleRate: 48_000, channels: 1, timestamp: time)
        }
    }
}
