import Hummingbird
import ScreenShare

/// Somebody in the conference: a session whose pictures this backend makes.
struct Participant: Sendable {
    let name: String
    private let session: ShareSession
    private let source = CustomVideoSource()
    private let viewers = Viewers()
    private let painter: Painter
    private let pace: @Sendable (Int) -> Duration

    /// - Parameter pace: the time from one picture to the next.
    init(name: String, painter: Painter, pace: @escaping @Sendable (Int) -> Duration) {
        self.name = name
        self.painter = painter
        self.pace = pace
        session = ShareSession(configuration: ShareConfiguration(source: .custom(source)))
    }

    func start() async throws {
        try await session.start()
        Task { try await paint() }
        Task { await forgetWhoIsGone() }
    }

    func stop() async { await session.stop() }

    /// Pictures with their own timestamps, at their own pace, until the session ends, which makes a steady stream of them.
    private func paint() async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        for frame in 0... {
            if case .stopped = await session.state { return }
            let pixels = painter.draw(frame: frame)
            try source.push(
                pixels.span.bytes, format: .bgra, width: painter.width, height: painter.height,
                timestamp: clock.now - begin)
            try await Task.sleep(for: pace(frame))
        }
    }

    // MARK: Signaling of this backend's own

    /// Be it that it said so, or closed the page, or never connected.
    private func forgetWhoIsGone() async {
        for await event in session.events {
            switch event {
            case .viewerLeft(let departure), .viewerFailed(let departure): await viewers.remove(departure.viewer)
            default: break
            }
        }
    }

    /// `POST /participants/NAME`: SDP offer in, SDP answer out. `DELETE …/ID`: the viewer leaves.
    func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("/participants/\(name)") { [session, viewers] request, _ -> Response in
            let offer = String(buffer: try await request.body.collect(upTo: 65_536))
            do {
                let answer = try await session.answer(offer: offer)
                let id = await viewers.add(answer.viewer)
                var headers = HTTPFields()
                headers[.contentType] = "application/sdp"
                headers[.location] = "/participants/\(self.name)/\(id)"
                return Response(status: .created, headers: headers, body: .init(byteBuffer: .init(string: answer.sdp)))
            } catch let error as ShareError {
                throw HTTPError(.notAcceptable, message: error.description)
            }
        }
        router.delete("/participants/\(name)/:id") { [session, viewers] _, context -> HTTPResponse.Status in
            guard let viewer = await viewers.name(of: context.parameters.get("id") ?? "") else { return .notFound }
            await session.remove(viewer)
            return .noContent
        }
    }
}
