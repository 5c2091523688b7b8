import Hummingbird
import Logging
import ScreenShare

/// A small conferencing backend: two participants, each with pictures of its own making, shown side by side on a page.
///
/// It shows what embedding takes: a session for each participant, a custom source, and signaling over the backend's own
/// routes instead of this project's server.
///
///     swift run ConferenceBackend        then open http://127.0.0.1:8090/
@main
struct ConferenceBackend {
    static func main() async throws {
        let logger = Logger(label: "conference")
        let participants = [
            // Steady and large, as a camera; irregular and small, as an application that draws when it likes.
            Participant(name: "ada", painter: Painter(width: 1280, height: 720, hue: 0), pace: { _ in .milliseconds(33) }),
            Participant(
                name: "ben", painter: Painter(width: 640, height: 480, hue: 120),
                pace: { .milliseconds(40 + Int64($0 * 37 % 90)) }),
        ]
        for participant in participants { try await participant.start() }

        let router = Router()
        router.get("/") { _, _ in Page.response }
        router.get("/conference.js") { _, _ in Page.script }
        for participant in participants { participant.addRoutes(to: router) }

        let app = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8090)),
            onServerRunning: { _ in print("Open http://127.0.0.1:8090/ in a browser.") }, logger: logger)
        try await app.runService()
        for participant in participants { await participant.stop() }
    }
}
