import Logging
import ScreenShare
import Testing

@Suite("Samples: pictures, system sound and microphone, each by itself", .timeLimit(.minutes(1)))
struct SampleTests {
    /// A share without signaling or viewers.
    private func share(_ pictures: CustomVideoSource, _ audio: AudioConfiguration) async throws -> ShareSession {
        var configuration = ShareConfiguration(source: .custom(pictures))
        configuration.network.interfaces = ["127.0.0.1"]
        configuration.audio = audio
        configuration.mode = .motion
        let session = ShareSession(configuration: configuration)
        try await session.start()
        return session
    }

    private func push(_ source: CustomVideoSource, _ frame: Int) throws {
        let pixels = [UInt8](repeating: UInt8(frame % 200 + 20), count: 320 * 240 * 4)
        try source.push(
            pixels.span.bytes, format: .bgra, width: 320, height: 240, timestamp: .milliseconds(40 * frame))
    }

    /// 20 ms of a constant: system sound 44.1 kHz mono, the microphone 16 kHz stereo.
    private func push(_ source: CustomAudioSource, _ block: Int, rate: Int, channels: Int, _ value: Float) throws {
        let samples = [Float](repeating: value, count: rate / 50 * channels)
        try source.push(
            samples.span.bytes, encoding: .float32, sampleRate: rate, channels: channels,
            timestamp: .milliseconds(20 * block))
    }

    @Test("Without any viewer all three are read, as they were pushed, on one clock")
    func all() async throws {
        let (pictures, system, microphone) = (CustomVideoSource(), CustomAudioSource(), CustomAudioSource())
        let session = try await share(
            pictures, AudioConfiguration(system: .custom(system), microphone: .custom(microphone)))
        let samples = session.samples()
        let begin = ContinuousClock.now
        let pushing = Task {
            for step in 0... {
                try push(system, step, rate: 44_100, channels: 1, 0.25)
                try push(microphone, step, rate: 16_000, channels: 2, -0.5)
                if step % 2 == 0 { try push(pictures, step / 2) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        var found: [ShareSample.Kind: ContinuousClock.Instant] = [:]
        for await sample in samples {
            switch sample {
            case .video(let picture):
                #expect(picture.i420.count == picture.width * picture.height * 3 / 2)
                #expect(picture.width == 320 && picture.height == 240)
                // Grey has no colour.
                #expect(picture.i420.last == 128)
                found[.video] = picture.capturedAt
            case .audio(let block, .system):
                #expect(block.sampleRate == 44_100 && block.samples.allSatisfy { $0 == 0.25 } && !block.samples.isEmpty)
                found[.systemAudio] = block.capturedAt
            case .audio(let block, .microphone):
                #expect(block.sampleRate == 16_000 && block.samples.allSatisfy { $0 == -0.5 } && !block.samples.isEmpty)
                found[.microphone] = block.capturedAt
            }
            if found.count == 3 { break }
        }
        pushing.cancel()
        await session.stop()
        let end = ContinuousClock.now
        #expect(found.values.allSatisfy { begin - .milliseconds(50) < $0 && $0 < end })
    }

    @Test("A reader who takes another's place gets the picture of a screen that is still")
    func replaced() async throws {
        let pictures = CustomVideoSource()
        let session = try await share(pictures, .none)
        try push(pictures, 0)
        var preview = session.samples([.video])
        for _ in 0..<10 {
            for await _ in preview { break }
            // The next one is there before this one goes.
            preview = session.samples([.video])
        }
        for await _ in preview { break }
        await session.stop()
    }

    @Test("What is muted is not read, and the stream ends with the share")
    func muted() async throws {
        let (system, microphone) = (CustomAudioSource(), CustomAudioSource())
        let session = try await share(
            CustomVideoSource(), AudioConfiguration(system: .custom(system), microphone: .custom(microphone)))
        await session.setMuted(true, for: .microphone)
        let samples = session.samples([.systemAudio, .microphone])
        let pushing = Task {
            for step in 0... {
                try push(system, step, rate: 48_000, channels: 2, 0.25)
                try push(microphone, step, rate: 48_000, channels: 2, 0.5)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        var kinds: [ShareSample.Kind] = []
        for await sample in samples {
            kinds.append(sample.kind)
            if kinds.count == 10 { await session.stop() }
        }
        pushing.cancel()
        #expect(kinds.count >= 10 && kinds.allSatisfy { $0 == .systemAudio })
    }
}
