import Foundation
import Media
import TestSupport
import Timebase

/// A device in virtual time, with a clock of its own: what it hears is a function of the true time.
struct SoundDevice {
    struct Delivery {
        var at: Instant
        var block: AudioBlock
    }

    var format = AudioFormat.stereo48k
    var framesPerBlock = 480
    /// Of its clock: positive gives more frames.
    var ppm = 0.0
    /// From the last frame's end until the block is there, and how much longer it may take.
    var latency = Duration.microseconds(500)
    var jitter = Duration.zero
    /// By how much stamps may be off, either way.
    var stampJitter = Duration.zero
    /// By how much they are too early.
    var stampAge = Duration.zero
    var hears: (_ time: Double) -> (left: Float, right: Float) = { _ in (0, 0) }
    private var random: SeededGenerator
    /// When frame 0 was heard, in seconds.
    private var origin: Double
    private var frame = 0

    init(from start: Instant = .zero, seed: UInt64 = 1) {
        origin = Double(start.nanoseconds) / 1e9
        random = SeededGenerator(seed: seed)
    }

    private var rate: Double { Double(format.sampleRate) * (1 + ppm / 1e6) }
    private func time(of frame: Int) -> Double { origin + Double(frame) / rate }

    /// When the next block is there at the earliest.
    var nextEnd: Instant { instant(time(of: frame + framesPerBlock)) + latency }

    mutating func next() -> Delivery {
        let start = time(of: frame)
        let end = time(of: frame + framesPerBlock)
        var samples = [Float](repeating: 0, count: framesPerBlock * format.channels)
        let (channels, rate) = (format.channels, rate)
        samples.withUnsafeMutableBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            var index = 0
            while index < framesPerBlock {
                let (left, right) = hears(start + Double(index) / rate)
                samples[index * channels] = left
                if channels > 1 { samples[index * channels + 1] = right }
                index += 1
            }
        }
        frame += framesPerBlock
        let stamp = instant(start) - stampAge + .nanoseconds(Int64((random.unit() * 2 - 1) * Double(stampJitter.nanoseconds)))
        let arrival = instant(end) + latency + .nanoseconds(Int64(random.unit() * Double(jitter.nanoseconds)))
        return Delivery(at: arrival, block: AudioBlock(format: format, samples: samples, capturedAt: stamp))
    }

    /// Frames that nobody gets: an overrun.
    mutating func lose(_ duration: Duration) { frame += Int(duration.inSeconds * rate) }

    /// Other blocks from now on, without a frame between.
    mutating func change(to format: AudioFormat, framesPerBlock: Int) {
        origin = time(of: frame)
        frame = 0
        self.format = format
        self.framesPerBlock = framesPerBlock
    }

    private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }
}

/// What a device may hear.
enum Heard {
    static func tone(_ frequency: Double, amplitude: Float = 0.5) -> (Double) -> (left: Float, right: Float) {
        { time in
            let sample = amplitude * Float(sin(2 * .pi * (frequency * time).truncatingRemainder(dividingBy: 1)))
            return (sample, sample)
        }
    }

    /// The time itself, within its second: 0…0.5.
    static let clock: @Sendable (Double) -> (left: Float, right: Float) = { time in
        let sample = Float(time.truncatingRemainder(dividingBy: 1) / 2)
        return (sample, sample)
    }

    static func left(_ heard: @escaping (Double) -> (left: Float, right: Float)) -> (Double) -> (
        left: Float, right: Float
    ) {
        { (heard($0).left, 0) }
    }

    static func right(_ heard: @escaping (Double) -> (left: Float, right: Float)) -> (Double) -> (
        left: Float, right: Float
    ) {
        { (0, heard($0).right) }
    }
}

/// The loop of the sound thread in virtual time.
struct SoundLoop {
    var mixdown: AudioMixdown
    var devices: [AudioKind: SoundDevice] = [:]
    private(set) var packets: [AudioPacket] = []
    /// Kept only where a test looks at them.
    var keepsPackets = true
    var onPacket: (AudioPacket) -> Void = { _ in }
    /// The device's blocks are short pieces, which the thread takes together when a packet is due.
    var readsWithPackets = false
    /// What blocks say of their pieces then, in frames; nil: the truth.
    var longestPieceSaid: Int?
    /// How late the thread wakes for a packet.
    var wakesLate: (Instant) -> Duration = { _ in .zero }
    /// When the thread reads nothing and sends nothing. Of what comes meanwhile its sockets hold 200 ms, which it reads as it
    /// wakes; the rest comes 4 ms later.
    var standsStill: Range<Instant>?
    private var waiting: [AudioKind: SoundDevice.Delivery] = [:]
    private var pieces: [AudioKind: AudioBlock] = [:]
    private(set) var now: Instant

    init(
        packetFrames: Int = 960, start: Instant = .zero,
        resampler: @escaping (AudioFormat) -> any Resampler = { SimpleResampler($0) }
    ) {
        mixdown = AudioMixdown(packetFrames: packetFrames, start: start, makeResampler: resampler)
        now = start
    }

    mutating func run(until end: Instant) {
        while true {
            for (kind, device) in devices where waiting[kind] == nil {
                guard device.nextEnd < end else { continue }
                guard var delivery = devices[kind]?.next() else { continue }
                delivery.at = whenRead(delivery.at)
                waiting[kind] = delivery
            }
            var due = mixdown.due + wakesLate(mixdown.due)
            if let standsStill, standsStill.contains(due) { due = standsStill.upperBound }
            let arrival = waiting.min { $0.value.at < $1.value.at }
            if let (kind, delivery) = arrival, delivery.at <= due {
                now = max(now, delivery.at)
                waiting[kind] = nil
                if readsWithPackets {
                    add(delivery.block, of: kind)
                } else {
                    mixdown.receive(delivery.block, of: kind, at: now)
                }
                continue
            }
            guard due < end else { return }
            now = max(now, due)
            for (kind, block) in pieces { mixdown.receive(block, of: kind, at: now) }
            pieces = [:]
            while let packet = mixdown.nextPacket(at: now) {
                onPacket(packet)
                if keepsPackets { packets.append(packet) }
            }
        }
    }

    private func whenRead(_ arrival: Instant) -> Instant {
        guard let standsStill, standsStill.contains(arrival) else { return arrival }
        let isInSocket = arrival - standsStill.lowerBound < .milliseconds(200)
        return isInSocket ? standsStill.upperBound : standsStill.upperBound + .milliseconds(4)
    }

    private mutating func add(_ piece: AudioBlock, of kind: AudioKind) {
        var block = pieces[kind] ?? AudioBlock(format: piece.format, samples: [], capturedAt: piece.capturedAt)
        block.samples += piece.samples
        block.longestPiece = longestPieceSaid ?? piece.frameCount
        pieces[kind] = block
    }

    mutating func forgetPackets() { packets.removeAll() }

    /// The left samples of all packets in a row.
    var left: [Float] {
        packets.flatMap { packet in stride(from: 0, to: packet.samples.count, by: 2).map { packet.samples[$0] } }
    }
}

/// How far a signal is from a tone: a gap, a repeat or a click stands out by far.
struct ToneCheck {
    private let twiceCosine: Double
    private var before: (Double, Double) = (0, 0)
    private var count = 0
    /// The largest x[n] − 2 cos ω · x[n−1] + x[n−2].
    private(set) var worst = 0.0
    private(set) var worstAt = 0
    /// The largest step from one sample to the next.
    private(set) var largestStep = 0.0

    init(_ frequency: Double) {
        twiceCosine = 2 * cos(2 * .pi * frequency / 48_000)
    }

    mutating func add(_ packet: AudioPacket, channel: Int = 0) {
        let frames = packet.samples.count / 2
        packet.samples.withUnsafeBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            var frame = 0
            while frame < frames {
                let sample = Double(samples[2 * frame + channel])
                let residual = (sample - twiceCosine * before.0 + before.1).magnitude
                let step = (sample - before.0).magnitude
                if count > 1, residual > worst {
                    worst = residual
                    worstAt = count
                }
                if count > 0, step > largestStep { largestStep = step }
                before = (sample, before.0)
                count += 1
                frame += 1
            }
        }
    }
}
