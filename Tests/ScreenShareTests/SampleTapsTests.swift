import Media
import Testing
@testable import ScreenShare

@Suite("Who reads samples")
struct SampleTapsTests {
    private let picture = ShareSample.video(VideoSample(i420: [], width: 2, height: 2, capturedAt: .now))
    /// 10 ms.
    private func block(_ audio: SharedAudio) -> ShareSample {
        let samples = [Float](repeating: 0, count: 960)
        return .audio(AudioSample(samples: samples, sampleRate: 48_000, channels: 2, capturedAt: .now), audio)
    }

    @Test("a slow reader keeps the newest three pictures and a second of each sound, whatever comes between them")
    func slow() async {
        let taps = SampleTaps()
        let samples = taps.open(Set(ShareSample.Kind.allCases))
        for _ in 0..<120 {
            taps.give(picture)
            taps.give(block(.system))
            taps.give(block(.microphone))
        }
        taps.finish()
        var counts: [ShareSample.Kind: Int] = [:]
        for await sample in samples { counts[sample.kind, default: 0] += 1 }
        #expect(counts == [.video: 3, .systemAudio: 100, .microphone: 100])
    }

    @Test("a stream that is opened after the end ends at once")
    func late() async {
        let taps = SampleTaps()
        taps.finish()
        for await _ in taps.open([.video]) { Issue.record("there is nothing") }
    }

    @Test("who takes another's place is told of as one more, so that it gets what is there already")
    func replaced() async {
        let taps = SampleTaps()
        let (told, sink) = AsyncStream.makeStream(of: [ShareSample.Kind: Int].self)
        taps.follow { sink.yield($0) }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() == [:])
        var readers = [taps.open([.video])]
        #expect(await iterator.next() == [.video: 1])
        readers.append(taps.open([.video, .microphone]))
        #expect(await iterator.next() == [.video: 2, .microphone: 1])
        readers.removeFirst()
        #expect(await iterator.next() == [.video: 2, .microphone: 1], "not as before the second came")
        readers.removeAll()
        #expect(await iterator.next() == [:])
    }

    @Test("what nobody holds any more, or whose reader was cancelled, is read no more")
    func gone() async throws {
        let taps = SampleTaps()
        let (told, sink) = AsyncStream.makeStream(of: Set<ShareSample.Kind>.self)
        taps.follow { sink.yield(Set($0.keys)) }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() == [])
        var pictures: AsyncStream<ShareSample>? = taps.open([.video])
        #expect(await iterator.next() == [.video])
        taps.give(picture)
        for await _ in try #require(pictures) { break }
        pictures = nil
        #expect(await iterator.next() == [])
        let reader = Task { for await _ in taps.open([.microphone]) {} }
        #expect(await iterator.next() == [.microphone])
        reader.cancel()
        await reader.value
        #expect(await iterator.next() == [])
    }
}
