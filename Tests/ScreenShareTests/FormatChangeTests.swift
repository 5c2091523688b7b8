import AudioCodec
import Glibc
import Media
import NIOConcurrencyHelpers
import RTP
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import ScreenShare

/// Through a share's own resamplers: 44.1 kHz in 16 bits, then 48 kHz in floats, then 16 kHz in big-endian 16 bits.
@Suite("An embedder's sound whose format changes while it is heard", .timeLimit(.minutes(1)))
struct FormatChangeTests {
    /// In each form.
    private static let blocks = 75

    /// What leaves, in virtual time: each block was heard when its timestamp says, and is there half a millisecond later.
    private func mixed() throws -> (packets: [AudioPacket], statistics: AudioInputStatistics) {
        let source = CustomAudioSource()
        let reader = source.makeReader(clock: EmbedderClock().soundInput())
        var mixdown = AudioMixdown(packetFrames: 960, start: .zero, makeResampler: AudioPipeline.resampler(from:))
        var packets: [AudioPacket] = []
        for number in 0..<Self.blocks * Form.allCases.count {
            try Form.allCases[number / Self.blocks].push(number, on: source)
            let now = Instant.zero + .milliseconds(20 * (number + 1)) + .microseconds(500)
            while var block = try reader.read(at: now) {
                block.capturedAt = Instant.zero + .milliseconds(20 * number)
                mixdown.receive(block, of: .system, at: now)
            }
            while let packet = mixdown.nextPacket(at: now) { packets.append(packet) }
        }
        return (packets, mixdown.statistics(of: .system))
    }

    @Test("no frame is lost or comes twice, and nothing clicks")
    func whole() throws {
        let (packets, statistics) = try mixed()
        #expect(statistics.gaps == 0 && statistics.jumps == 0 && statistics.blocksRefused == 0)
        let settled = packets.dropFirst(25)
        // In frames. The tones repeat together once a second only: what fits them has not been left out by periods either.
        let distances = zip(settled.dropFirst(), settled).map { next, packet in
            abs((next.capturedAt - packet.capturedAt).inSeconds * 48_000 - 960)
        }
        #expect(distances.count > 190 && (distances.max() ?? 9) < 2, "\(distances.max() ?? 9)")
        for sine in Sine.allCases {
            // A resampler knows to a frame how late it is.
            let lags = settled.map { abs(sine.lag(of: $0)) }
            #expect((lags.max() ?? 9) < 1.5, "\(sine): \(lags.max() ?? 9)")
            // Half of what a single missing frame may make; the resamplers' filters make a fifth of that where one ends and
            // the next begins.
            let corner = sine.largestCorner(in: settled.flatMap(\.samples))
            #expect(corner < Sine.amplitude * sine.step / 2, "\(sine): \(corner)")
        }
    }

    @Test("its tones are as loud as they were, and as pure as 16 bits hold them")
    func pure() throws {
        let packets = try mixed().packets
        for (index, form) in Form.allCases.enumerated() {
            // A second, behind what is held back.
            let first = index * Self.blocks + 15
            let samples = packets[first..<first + 50].flatMap(\.samples)
            for sine in Sine.allCases {
                let found = ToneAnalysis(samples, channel: sine.rawValue)
                let (distortion, level) = (found.distortion(of: sine.frequency), found.level(of: sine.frequency))
                // Rounding to 16 bits alone makes −92.6 dB of a tone half as loud as can be.
                #expect(distortion < -88, "\(form), \(sine): \(distortion) dB")
                #expect(abs(level + 6.02) < 0.2, "\(form), \(sine): \(level) dB")
            }
        }
    }

    @Test("the thread of sound hands it on without a gap or a click, too")
    func thread() async throws {
        let packets = NIOLockedValueBox<[[UInt8]]>([])
        var commands = AudioCommands(sources: [.system: { PunctualEmbedder() }], gains: [:])
        commands.lanes = [.full: OpusTarget(bitsPerSecond: 256_000)]
        let (controls, counters) = (AudioControls(commands), AudioCounters())
        controls.thread.begin()
        BlockingThread.start(name: "sound") {
            AudioPipeline(
                controls: controls, counters: counters, packetDuration: .milliseconds20, start: SystemClock.now(),
                taps: SampleTaps(),
                deliver: { unit in packets.withLockedValue { $0.append(unit.encodings[.full]?.bytes ?? []) } },
                report: { _ in }
            ).run()
            controls.end()
        }
        // How it begins is the machine's affair.
        let begun = try await statistics(counters, after: 20, packets)
        let ended = try await statistics(counters, after: 190, packets)
        controls.change { $0.stops = true }
        await controls.thread.ended()
        #expect(ended.gaps == begun.gaps && ended.jumps == begun.jumps, "\(begun), \(ended)")
        let decoder = try OpusDecoder()
        let samples = try packets.withLockedValue { $0 }.flatMap { try decoder.decode($0) }
        #expect(samples.count >= 190 * 1920)
        for sine in Sine.allCases { expectWhole(sine, in: samples) }
    }

    /// Once so many packets have left.
    private func statistics(
        _ counters: AudioCounters, after count: Int, _ packets: NIOLockedValueBox<[[UInt8]]>
    ) async throws -> AudioInputStatistics {
        let deadline = ContinuousClock.now + .seconds(20)
        while packets.withLockedValue({ $0.count }) < count, .now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        return try #require(counters.now[.system])
    }

    /// Each hundredth of a second is as loud as it was, and no step is more than a frame's larger than the sine's own.
    private func expectWhole(_ sine: Sine, in samples: [Float]) {
        // Until then it turns out how long sound is held back.
        let begin = 0.4
        let found = ToneAnalysis(samples, channel: sine.rawValue)
        let levels = stride(from: begin, to: Double(samples.count) / 96_000 - 0.1, by: 0.01).map {
            found.part(from: $0, 0.02).level(of: sine.frequency)
        }
        #expect(levels.allSatisfy { abs($0 + 6.02) < 1 }, "\(sine): \(levels.min() ?? 0)…\(levels.max() ?? 0) dB")
        let side = stride(from: Int(begin * 96_000) + sine.rawValue, to: samples.count, by: 2).map { Double(samples[$0]) }
        let step = zip(side.dropFirst(), side).map { abs($0 - $1) }.max() ?? 1
        #expect(step < 2 * Sine.amplitude * sine.step, "\(sine): \(step)")
    }
}

/// A tone for each side.
private enum Sine: Int, CaseIterable {
    case left, right

    static let amplitude = 0.5

    var frequency: Double { self == .left ? 440 : 997 }
    /// By how much it turns from one frame of 48 kHz to the next.
    var step: Double { 2 * Double.pi * frequency / 48_000 }

    func sample(at seconds: Double) -> Double {
        let turns = frequency * seconds
        return Self.amplitude * sin(2 * Double.pi * (turns - turns.rounded(.down)))
    }

    /// By how many frames what a packet holds is later than it says, within one period.
    func lag(of packet: AudioPacket) -> Double {
        let said = (packet.capturedAt - .zero).inSeconds * 48_000
        let found = ToneAnalysis(packet.samples, channel: rawValue).lag(of: frequency)
        return (found + said).remainder(dividingBy: 48_000 / frequency)
    }

    /// The largest x[n] − 2 cos ω · x[n−1] + x[n−2], which is nothing where a sine goes on as it was.
    func largestCorner(in samples: [Float]) -> Double {
        let side = stride(from: rawValue, to: samples.count, by: 2).map { Double(samples[$0]) }
        let twiceCosine = 2 * cos(step)
        return (2..<side.count).map { abs(side[$0] - twiceCosine * side[$0 - 1] + side[$0 - 2]) }.max() ?? 1
    }
}

/// How a program hands over what it plays, one form after the other.
private enum Form: CaseIterable {
    case words, floats, bigEndianWords

    private var sampleRate: Int {
        switch self {
        case .words: 44_100
        case .floats: 48_000
        case .bigEndianWords: 16_000
        }
    }

    /// The 20 ms with this number.
    func push(_ number: Int, on source: CustomAudioSource) throws(CustomAudioSource.PushError) {
        let begin = Double(number) / 50
        let samples = (0..<sampleRate / 50).flatMap { frame -> [Double] in
            let time = begin + Double(frame) / Double(sampleRate)
            return Sine.allCases.map { $0.sample(at: time) }
        }
        let timestamp = Duration.milliseconds(20 * number)
        switch self {
        case .words:
            let words = samples.map { Int16(($0 * 0x1p15).rounded()) }
            try source.push(
                words.span.bytes, encoding: .signed16, sampleRate: sampleRate, channels: 2, timestamp: timestamp)
        case .floats:
            let floats = samples.map { Float($0) }
            try source.push(
                floats.span.bytes, encoding: .float32, sampleRate: sampleRate, channels: 2, timestamp: timestamp)
        case .bigEndianWords:
            let words = samples.map { Int16(($0 * 0x1p15).rounded()).bigEndian }
            try source.push(
                words.span.bytes, encoding: .signed16, byteOrder: .big, sampleRate: sampleRate, channels: 2,
                timestamp: timestamp)
        }
    }
}

/// Pushes what is due as it is read, with each packet: however busy the machine is, nothing comes late.
private final class PunctualEmbedder: AudioSource {
    /// In each form.
    private static let blocks = 60

    private let source = CustomAudioSource()
    private let reader: any AudioSource
    private var begun: Instant?
    private var next = 0

    init() { reader = source.makeReader(clock: EmbedderClock().soundInput()) }

    var format: AudioFormat { reader.format }
    var pollDescriptors: [PollEntry] { [] }
    var givesShortPieces: Bool { true }

    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        // Its blocks end between two packets: to some milliseconds it does not matter when the thread wakes.
        let begun = self.begun ?? (now - .milliseconds(10))
        self.begun = begun
        while begun + .milliseconds(20 * (next + 1)) <= now {
            let form = Form.allCases[min(next / Self.blocks, Form.allCases.count - 1)]
            do throws(CustomAudioSource.PushError) {
                try form.push(next, on: source)
            } catch {
                throw AudioSourceError.lost("\(error)")
            }
            next += 1
        }
        return try reader.read(at: now)
    }
}
