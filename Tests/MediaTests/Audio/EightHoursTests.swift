import Media
import TestSupport
import Testing
import Timebase

@Suite("Sound beside pictures through a working day")
struct EightHoursTests {
    /// Pictures are dated as they are taken, by the clock that dates packets of sound: what a packet is off is what lies
    /// between the two at a viewer.
    @Test("In a virtual 8 h of a device 500 ppm fast and one as slow, packets say within 5 ms when both were heard")
    func inStep() {
        var day = Day()
        day.run(until: at(8 * 3600))
        let (system, microphone) = (day.mixdown.statistics(of: .system), day.mixdown.statistics(of: .microphone))
        for offsets in day.offsets {
            #expect(offsets.count > 700 && offsets.worst < 5, "\(day.offsets)")
        }
        // The longest block, how much later it may come, a packet, and the margin.
        #expect(day.delays.allSatisfy { (765...790).contains($0) }, "\(day.delays.min() ?? 0)…\(day.delays.max() ?? 0) ms")
        #expect(system.jumps == 0 && microphone.jumps == 0)
        #expect(abs(system.drift * 1e6 - 500) < 60 && abs(microphone.drift * 1e6 + 500) < 60)
    }
}

private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }

/// When devices hear something: for a second of each half hour, near its end.
private enum Marks {
    static let period = 1800.0
    static let place = 1790.0

    /// The one of the same half hour.
    static func mark(near seconds: Double) -> Double { (seconds / period).rounded(.down) * period + place }

    /// When the thread takes packets next: one after the other while something is heard, and none between, as if it slept.
    /// All of them would take minutes, and nothing that tells the time depends on them.
    static func turn(from due: Instant) -> Instant {
        let mark = mark(near: (due - .zero).inSeconds)
        if due < at(mark - 0.1) { return at(mark - 0.1) }
        return due < at(mark + 2.2) ? due : at(mark + period - 0.1)
    }
}

/// How far what packets say is from when their sound was heard, in ms.
private struct Offsets: CustomStringConvertible {
    private var earliest = 0.0
    private var latest = 0.0
    private(set) var count = 0

    var worst: Double { max(-earliest, latest) }
    var description: String { "\(earliest)…\(latest) ms in \(count) packets" }

    /// - Parameter channel: of the device that this is about.
    mutating func add(_ packet: AudioPacket, channel: Int) {
        let (sample, next) = (packet.samples[channel], packet.samples[2 + channel])
        // Not where it begins or ends.
        guard (0.02...0.48).contains(sample), abs(next - sample) < 1e-4 else { return }
        let said = (packet.capturedAt - .zero).inSeconds
        let off = (said - Marks.mark(near: said) - 2 * Double(sample)) * 1000
        (earliest, latest) = (min(earliest, off), max(latest, off))
        count += 1
    }
}

/// A mixdown of two devices in virtual time.
private struct Day {
    // Long blocks, of which a day has few: bursts of half a second, and of another length.
    private var system = SparseDevice(framesPerBlock: 24_576, ppm: 500, channel: 0, seed: 1)
    private var microphone = SparseDevice(framesPerBlock: 36_000, ppm: -500, channel: 1, seed: 2)
    private(set) var mixdown = AudioMixdown(packetFrames: 960, start: .zero) { _ in SparseResampler() }
    /// Of system sound and the microphone's.
    private(set) var offsets = [Offsets(), Offsets()]
    /// In ms, as packets were taken.
    private(set) var delays: [Double] = []

    mutating func run(until end: Instant) {
        var (ofSystem, ofMicrophone) = (system.next(), microphone.next())
        var turn = Marks.turn(from: mixdown.due)
        while min(ofSystem.at, ofMicrophone.at) < end {
            let isSystem = ofSystem.at <= ofMicrophone.at
            let delivery = isSystem ? ofSystem : ofMicrophone
            while turn <= delivery.at {
                takePackets(at: turn)
                turn = Marks.turn(from: mixdown.due)
            }
            mixdown.receive(delivery.block, of: isSystem ? .system : .microphone, at: delivery.at)
            if isSystem { ofSystem = system.next() } else { ofMicrophone = microphone.next() }
        }
    }

    private mutating func takePackets(at now: Instant) {
        while let packet = mixdown.nextPacket(at: now) {
            for channel in offsets.indices { offsets[channel].add(packet, channel: channel) }
            delays.append(mixdown.delay.inMilliseconds)
        }
    }
}

/// A device whose hours cost next to nothing: it hears silence, and within a mark's second, on its own side, the time.
private struct SparseDevice {
    private let frames: Int
    private let rate: Double
    private let channel: Int
    private let silence: [Float]
    private var random: SeededGenerator
    private var frame = 0

    init(framesPerBlock: Int, ppm: Double, channel: Int, seed: UInt64) {
        frames = framesPerBlock
        rate = 48_000 * (1 + ppm / 1e6)
        self.channel = channel
        silence = [Float](repeating: 0, count: 2 * framesPerBlock)
        random = SeededGenerator(seed: seed)
    }

    /// Stamps are off by up to 3 ms, either way, and blocks come up to 10 ms late.
    mutating func next() -> SoundDevice.Delivery {
        let (start, end) = (Double(frame) / rate, Double(frame + frames) / rate)
        frame += frames
        let stamp = max(0, start + (random.unit() * 2 - 1) * 0.003)
        let arrival = end + 0.0005 + random.unit() * 0.01
        let block = AudioBlock(format: .stereo48k, samples: samples(from: start, to: end), capturedAt: at(stamp))
        return SoundDevice.Delivery(at: at(arrival), block: block)
    }

    private func samples(from start: Double, to end: Double) -> [Float] {
        let mark = Marks.mark(near: start)
        guard start < mark + 1, end > mark else { return silence }
        var samples = silence
        samples.withUnsafeMutableBufferPointer { samples in
            var index = 0
            while index < frames {
                let since = start + Double(index) / rate - mark
                if since >= 0, since < 1 { samples[2 * index + channel] = Float(since / 2) }
                index += 1
            }
        }
        return samples
    }
}

/// Straight lines between the samples of what is heard; silence is only counted. Stereo.
private final class SparseResampler: Resampler {
    private static let silence = [Float](repeating: 0, count: 2 * 48_000)
    /// Of the next frame that comes out, in those that go in next.
    private var position = 0.0

    let delay = Duration.zero

    func process(_ input: [Float], speed: Double, into output: inout [Float]) {
        let frames = input.count / 2
        let count = max(0, Int(((Double(frames) - position) / speed).rounded(.up)))
        let first = output.count
        output.append(contentsOf: Self.silence.prefix(2 * count))
        // A second of sound is longer than a block, one of whose ends has some of it then.
        if !(input.prefix(2) + input.suffix(2)).allSatisfy({ $0 == 0 }) {
            interpolate(input, frames, speed, into: &output, from: first, count)
        }
        position += Double(count) * speed - Double(frames)
    }

    private func interpolate(
        _ input: [Float], _ frames: Int, _ speed: Double, into output: inout [Float], from first: Int, _ count: Int
    ) {
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var index = 0
                while index < count {
                    let place = position + Double(index) * speed
                    let left = min(Int(place), frames - 1)
                    let right = min(left + 1, frames - 1)
                    let (weight, to) = (Float(place - Double(left)), first + 2 * index)
                    output[to] = input[2 * left] + (input[2 * right] - input[2 * left]) * weight
                    output[to + 1] = input[2 * left + 1] + (input[2 * right + 1] - input[2 * left + 1]) * weight
                    index += 1
                }
            }
        }
    }
}
