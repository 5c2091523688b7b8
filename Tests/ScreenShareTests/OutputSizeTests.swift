import Media
import Testing
@testable import ScreenShare

@Suite("The size of what is encoded", .timeLimit(.minutes(1)))
struct OutputSizeTests {
    private func push(_ source: CustomVideoSource, width: Int, height: Int, at time: Duration) throws {
        let pixels = [UInt8](repeating: 100, count: width * height * 4)
        try source.push(pixels.span.bytes, format: .bgra, width: width, height: height, timestamp: time)
    }

    @Test("unless one is asked for it is the source's own for text, and within 1080p for all else", arguments: [
        (PixelSize(width: 2560, height: 1600), PixelSize(width: 1728, height: 1080)),
        (PixelSize(width: 1080, height: 2400), PixelSize(width: 864, height: 1920)),
        (PixelSize(width: 640, height: 480), PixelSize(width: 640, height: 480)),
    ])
    func automatic(source: PixelSize, fitted: PixelSize) {
        #expect(ShareConfiguration(source: .testPattern(width: 64, height: 64)).size == .automatic)
        #expect(OutputSize.automatic.geometry(of: source, in: .detail).picture == source)
        for mode in [ContentMode.auto, .motion] {
            #expect(OutputSize.automatic.geometry(of: source, in: mode).picture == fitted)
        }
    }

    @Test("one that is asked for is the same in every mode", arguments: [
        (.native, PixelSize(width: 2560, height: 1600)), (.fit(width: 640, height: 640), PixelSize(width: 640, height: 400)),
        (.within(longSide: 1920, shortSide: 1080), PixelSize(width: 1728, height: 1080)),
        (.maximumPixels(1_000_000), PixelSize(width: 1264, height: 790)),
        (.exactly(width: 1280, height: 720), PixelSize(width: 1280, height: 720)),
    ] as [(OutputSize, PixelSize)])
    func asked(size: OutputSize, picture: PixelSize) {
        for mode in ContentMode.allCases {
            #expect(size.geometry(of: PixelSize(width: 2560, height: 1600), in: mode).picture == picture)
        }
    }

    @Test("a mode that is set live brings its size, also to a still picture, until one is asked for")
    func live() async throws {
        let source = CustomVideoSource()
        var configuration = ShareConfiguration(source: .custom(source))
        configuration.network.interfaces = ["127.0.0.1"]
        let session = ShareSession(configuration: configuration)
        try await session.start()
        let samples = session.samples([.video])
        let reading = Task { for await _ in samples {} }
        var events = session.events.makeAsyncIterator()
        /// The next encoded size that is told.
        func size() async -> String? {
            while let event = await events.next() {
                if case .sourceChanged(let change) = event { return "\(change.width)x\(change.height)" }
            }
            return nil
        }
        try push(source, width: 2400, height: 120, at: .zero)
        #expect(await size() == "1920x96")
        await session.setMode(.detail)
        #expect(await size() == "2400x120")
        let statistics = await session.statistics()
        #expect(statistics.width == 2400 && statistics.height == 120)
        await session.setMode(.motion)
        #expect(await size() == "1920x96")
        await session.setSize(.fit(width: 600, height: 600))
        #expect(await size() == "600x30")
        await session.setMode(.detail)
        try push(source, width: 1200, height: 60, at: .seconds(1))
        #expect(await size() == "600x30")
        await session.setSize(.automatic)
        #expect(await size() == "1200x60")
        await session.stop()
        await reading.value
    }
}
