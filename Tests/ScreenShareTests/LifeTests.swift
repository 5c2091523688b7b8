import AudioCodec
import Glibc
import Media
import NIOConcurrencyHelpers
import PeerDriver
import RTP
import SystemClock
import TestSupport
import Testing
import Timebase
@testable import PeerCore
@testable import ScreenShare

@Suite("The life of a session", .serialized, .timeLimit(.minutes(1)))
struct LifeTests {
    private func configuration(_ source: ShareSource) -> ShareConfiguration {
        var configuration = ShareConfiguration(source: source)
        configuration.network.interfaces = ["127.0.0.1"]
        return configuration
    }

    private func push(_ source: CustomVideoSource, _ grey: UInt8, at time: Int) throws {
        let pixels = [UInt8](repeating: grey, count: 64 * 64 * 4)
        try source.push(pixels.span.bytes, format: .bgra, width: 64, height: 64, timestamp: .milliseconds(time))
    }

    private func push(_ source: CustomAudioSource, for steps: Int = 40) async throws {
        for step in 0..<steps {
            let samples = [Float](repeating: 0.25, count: 1920)
            try source.push(
                samples.span.bytes, encoding: .float32, sampleRate: 48_000, channels: 2, timestamp: .milliseconds(20 * step))
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func comesTrue(_ what: () async -> Bool) async -> Bool {
        for _ in 0..<1000 {
            if await what() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test("what is muted before the start is never captured")
    func mutedFirst() async throws {
        let (system, microphone) = (CustomAudioSource(), CustomAudioSource())
        var configuration = configuration(.custom(CustomVideoSource()))
        configuration.audio = AudioConfiguration(system: .custom(system), microphone: .custom(microphone))
        let session = ShareSession(configuration: configuration)
        await session.setMuted(true, for: .microphone)
        let samples = session.samples([.systemAudio, .microphone])
        try await session.start()
        let pushing = Task {
            async let one: Void = push(system, for: 4000)
            async let other: Void = push(microphone, for: 4000)
            _ = try await (one, other)
        }
        var kinds: [ShareSample.Kind] = []
        for await sample in samples {
            kinds.append(sample.kind)
            if kinds.count == 20 { await session.stop() }
        }
        pushing.cancel()
        #expect(kinds.count >= 20 && kinds.allSatisfy { $0 == .systemAudio })
    }

    @Test("a source of sound that is taken away before the start is not captured")
    func removedFirst() async throws {
        let microphone = CustomAudioSource()
        var configuration = configuration(.custom(CustomVideoSource()))
        configuration.audio = AudioConfiguration(microphone: .custom(microphone))
        let session = ShareSession(configuration: configuration)
        await session.setAudioSource(nil, for: .microphone)
        let samples = session.samples([.microphone])
        try await session.start()
        try await push(microphone)
        await session.stop()
        for await _ in samples { Issue.record("the microphone was read") }
    }

    @Test("a pause before the start holds from the beginning")
    func pausedFirst() async throws {
        let source = CustomVideoSource()
        let session = ShareSession(configuration: configuration(.custom(source)))
        let samples = session.samples([.video])
        await session.pause()
        try await session.start()
        #expect(await session.state == .paused)
        try push(source, 200, at: 0)
        // Each returns when the turn before it is done.
        let controls = try #require(await session.controls)
        for _ in 0..<10 { await controls.changeAndWait { _ in } }
        try push(source, 20, at: 200)
        await session.resume()
        #expect(await session.state == .live)
        var iterator = samples.makeAsyncIterator()
        guard case .video(let first)? = await iterator.next() else { return _ = Issue.record("nothing came") }
        #expect(first.i420[0] < 60, "what was shown in the pause is not sent")
        await session.stop()
    }

    @Test("a source that can't be opened is refused, and the one before goes on")
    func badSource() async throws {
        let session = ShareSession(configuration: configuration(.testPattern(width: 320, height: 240)))
        let samples = session.samples([.video])
        try await session.start()
        await #expect(throws: ShareError.self) { try await session.setSource(.testPattern(width: 0, height: 0)) }
        await #expect(throws: ShareError.self) { try await session.setSource(.testPattern(width: .max, height: .max)) }
        await #expect(throws: ShareError.self) {
            try await session.setSource(.region(x: 1, y: 0, width: .max, height: .max, display: ":4711"))
        }
        #expect(await session.state == .live)
        var iterator = samples.makeAsyncIterator()
        for _ in 0..<10 { #expect(await iterator.next() != nil) }
        await session.stop()
        await #expect(throws: ShareError.self) { try await session.setSource(.testPattern(width: 64, height: 64)) }
    }

    @Test("a region without a pixel is refused, not taken for one outside the screen", arguments: [(0, 9), (9, 0), (-9, -9)])
    func emptyRegion(width: Int, height: Int) async throws {
        let empty = ShareSource.region(x: 0, y: 0, width: width, height: height, display: ":4711")
        let session = ShareSession(configuration: configuration(empty))
        await #expect(throws: ShareError.source("A region has at least 1 pixel a side, not \(width)x\(height).")) {
            try await session.start()
        }
        await session.stop()
    }

    @Test("a source chosen while the session starts is the one that is shown", arguments: 1...5)
    func sourceWhileStarting(round: Int) async throws {
        let session = ShareSession(configuration: configuration(.testPattern(width: 320, height: 240)))
        let samples = session.samples([.video])
        async let started: Void = session.start()
        async let changed: Void = session.setSource(.testPattern(width: 160, height: 120))
        _ = try await (started, changed)
        for await case .video(let picture) in samples where picture.width == 160 { break }
        await session.stop()
    }

    @Test("a session that nobody holds any more stops by itself")
    func dropped() async throws {
        var session: ShareSession? = ShareSession(configuration: configuration(.testPattern(width: 320, height: 240)))
        try await session?.start()
        let samples = session?.samples([.video])
        let controls = try #require(await session?.controls)
        #expect(controls.thread.isRunning)
        session = nil
        #expect(await comesTrue { !controls.thread.isRunning })
        for await _ in try #require(samples) {}
    }

    /// A server that never answers, until its descriptor is closed.
    private func silentServer(_ type: __socket_type = SOCK_DGRAM) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            bind(descriptor, place, length)
            getsockname(descriptor, place, &length)
        }
        if type == SOCK_STREAM { listen(descriptor, 1) }
        return (descriptor, address.sin_port.bigEndian)
    }

    private func isAsked(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test("who stops a session that is starting gets it stopped, and whoever started it is told")
    func stoppedWhileStarting() async throws {
        let server = silentServer()
        defer { close(server.descriptor) }
        var configuration = configuration(.testPattern(width: 320, height: 240))
        configuration.network.stunServers = ["stun:127.0.0.1:\(server.port)"]
        let session = ShareSession(configuration: configuration)
        let starting = Task { try await session.start() }
        #expect(await comesTrue { isAsked(server.descriptor) })
        #expect(await session.state == .idle, "it is still waiting for the server")
        await session.stop()
        await #expect(throws: ShareError.self) { try await starting.value }
        #expect(await session.state == .stopped(nil))
        for await event in session.events {
            guard case .stateChanged(let state) = event else { continue }
            #expect(state == .stopped(nil), "it never was live")
        }
    }

    @Test("whoever started it is told that it was stopped, not of what failed because of that")
    func stoppedWhileAsking() async throws {
        let server = silentServer()
        defer { close(server.descriptor) }
        var configuration = configuration(.testPattern(width: 320, height: 240))
        configuration.network.turnServers = [
            try TURNServer(url: "turn:127.0.0.1:\(server.port)", credentials: .password(username: "a", password: "b"))
        ]
        // Without an answer of the server's it can't start.
        configuration.network.relayOnly = true
        let session = ShareSession(configuration: configuration)
        let starting = Task { try await session.start() }
        #expect(await comesTrue { await session.starting != nil })
        await session.stop()
        let stopped = ShareError.invalid("the session was stopped while it started")
        await #expect(throws: stopped) { try await starting.value }
        #expect(await session.state == .stopped(nil))
    }

    @Test("sound that is chosen during a start that fails is what the next one shares")
    func soundOfFailedStart() async throws {
        let server = silentServer()
        defer { close(server.descriptor) }
        var configuration = configuration(.region(x: 0, y: 0, width: 9, height: 9, display: ":4711"))
        configuration.audio = AudioConfiguration(microphone: .custom(CustomAudioSource()))
        configuration.network.stunServers = ["stun:127.0.0.1:\(server.port)"]
        let session = ShareSession(configuration: configuration)
        let starting = Task { try await session.start() }
        #expect(await comesTrue { await session.starting != nil })
        await session.setAudioSource(nil, for: .microphone)
        await session.setAudioSource(.custom(CustomAudioSource()), for: .system)
        await #expect(throws: ShareError.self) { try await starting.value }
        #expect(await session.configuration.audio.kinds == [.system])
        await session.stop()
    }

    @Test("viewers who joined during a start that fails are gone with it: they take no place, no lane and no path")
    func viewersOfFailedStart() async throws {
        // X server number N listens at TCP port 6000 + N.
        let server = silentServer(SOCK_STREAM)
        var configuration = configuration(.display("127.0.0.1:\(server.port - 6000)"))
        configuration.maximumViewers = 2
        let session = ShareSession(configuration: configuration)
        let starting = Task { try await session.start() }
        #expect(await comesTrue { await session.hub != nil })
        _ = try await session.counterOffer()
        _ = try await session.answer(offer: AnswerTests.offer())
        let (peer, paths) = (PeerID(await session.lastPeer), await session.paths)
        let slow = PathState(
            pathRate: 650_000, bitsPerSecond: 500_000, isCongested: true, isStarved: false, isLimited: true)
        _ = paths.update(peer, slow, at: SystemClock.now())
        close(server.descriptor)
        await #expect(throws: ShareError.self) { try await starting.value }
        #expect(await session.state == .idle)
        #expect(await session.viewerNames.isEmpty)
        #expect(await session.pendingOffers.isEmpty)
        #expect(await session.controls?.present.expected == [])
        #expect(!paths.isCongested(news: true))
        try await session.setSource(.testPattern(width: 64, height: 64))
        try await session.start()
        _ = try await session.answer(offer: AnswerTests.offer())
        await session.stop()
    }

    @Test("of two starts at once one is refused, and the other works")
    func startedTwice() async throws {
        let session = ShareSession(configuration: configuration(.testPattern(width: 320, height: 240)))
        async let first = Result { () async throws(ShareError) in try await session.start() }
        async let second = Result { () async throws(ShareError) in try await session.start() }
        let results = await [first, second]
        #expect(results.count(where: \.isSuccess) == 1)
        #expect(await session.state == .live)
        let controls = try #require(await session.controls)
        async let stopped: Void = session.stop()
        await session.stop()
        #expect(!controls.thread.isRunning, "whoever stops waits until all is let go, also the second")
        await stopped
    }

    @Test("whoever stops a viewer waits until all is closed, also the second", arguments: 1...5)
    func viewerStoppedTwice(round: Int) async throws {
        var configuration = ViewConfiguration(server: "http://127.0.0.1:9", room: "demo")
        configuration.network.interfaces = ["127.0.0.1"]
        let viewer = ViewSession(configuration: configuration)
        await viewer.start()
        for await case .waiting in viewer.events { break }
        await withTaskGroup(of: Void.self) { stops in
            for _ in 0..<2 { stops.addTask { await viewer.stop() } }
            await stops.next()
            // A reader that is cancelled takes what there is, and waits for no more.
            let told = await Task { () -> [ViewEvent] in
                withUnsafeCurrentTask { $0?.cancel() }
                return await viewer.events.reduce(into: []) { $0.append($1) }
            }.value
            #expect(told.last == .ended(nil))
        }
    }

    @Test("after a start that failed another may succeed, and nothing hangs meanwhile")
    func startedAgain() async throws {
        let taken = ShareSession(configuration: configuration(.testPattern(width: 64, height: 64)))
        try await taken.start()
        let session = ShareSession(configuration: configuration(.region(x: 0, y: 0, width: 9, height: 9, display: ":4711")))
        await #expect(throws: ShareError.self) { try await session.start() }
        #expect(await session.state == .idle)
        await session.pause()
        await session.resume()
        try await session.setSource(.testPattern(width: 64, height: 64))
        try await session.start()
        #expect(await session.state == .live)
        await session.stop()
        await taken.stop()
    }

    @Test("whoever starts a session that was stopped is told that, whether it was started before or not", arguments: [false, true])
    func startedTooLate(wasStarted: Bool) async throws {
        let session = ShareSession(configuration: configuration(.testPattern(width: 64, height: 64)))
        if wasStarted { try await session.start() }
        await session.stop()
        await #expect(throws: ShareError.invalid("the session has stopped")) { try await session.start() }
        #expect(await session.state == .stopped(nil))
    }

    @Test("whoever publishes a share whose source has gone is told of the source, and of one that was stopped that it was")
    func publishedTooLate() async throws {
        let publication = RoomPublication(server: "http://127.0.0.1:9", room: "demo")
        let lost = ShareSession(configuration: configuration(.testPattern(width: 64, height: 64)))
        try await lost.start()
        let cause = ShareError.source("the window was closed")
        await lost.handle(.video(.failed(cause)))
        await #expect(throws: cause) { try await lost.publish(publication) }
        let stopped = ShareSession(configuration: configuration(.testPattern(width: 64, height: 64)))
        await stopped.stop()
        await #expect(throws: ShareError.invalid("the session has stopped")) { try await stopped.publish(publication) }
    }

    @Test(
        "a size beyond all bounds is cut, not trusted",
        arguments: [
            OutputSize.fit(width: .max, height: .max), .within(longSide: .max, shortSide: .max),
            .exactly(width: .min, height: .max), .maximumPixels(.max),
        ])
    func hugeSize(size: OutputSize) async throws {
        var configuration = configuration(.custom(CustomVideoSource()))
        configuration.size = size
        let session = ShareSession(configuration: configuration)
        try await session.start()
        let offer = try await session.counterOffer()
        #expect(offer.sdp.contains("profile-level-id="))
        await session.stop()
    }

    @Test("viewers hear the sound also where somebody read its samples before it began")
    func sampledFirst() async throws {
        let source = CustomAudioSource()
        var commands = AudioConfiguration(system: .custom(source)).commands(clock: EmbedderClock())
        commands.sampled = [.system]
        commands.lanes = [.full: .init(bitsPerSecond: 64_000)]
        let controls = AudioControls(commands)
        let packets = NIOLockedValueBox(0)
        controls.thread.begin()
        BlockingThread.start(name: "sound") {
            AudioPipeline(
                controls: controls, packetDuration: .milliseconds20, start: SystemClock.now(), taps: SampleTaps(),
                deliver: { _ in packets.withLockedValue { $0 += 1 } }, report: { _ in }
            ).run()
            controls.end()
        }
        try await push(source)
        #expect(await comesTrue { packets.withLockedValue { $0 } > 5 })
        controls.change { $0.stops = true }
        await controls.thread.ended()
    }
}

extension Result where Success == Void, Failure == ShareError {
    fileprivate init(_ body: () async throws(ShareError) -> Void) async {
        do throws(ShareError) {
            try await body()
            self = .success(())
        } catch {
            self = .failure(error)
        }
    }

    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
