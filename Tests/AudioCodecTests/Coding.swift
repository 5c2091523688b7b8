import AudioCodec
import Media
import RTP
import TestSupport
import Testing

/// Packets of one encoder in a row.
struct Coding {
    let encoder: OpusEncoder
    private(set) var packets: [AudioUnit.Encoding] = []

    init(_ target: OpusTarget, _ packetDuration: OpusConfiguration.PacketDuration = .milliseconds20) throws {
        var configuration = OpusConfiguration()
        configuration.packetDuration = packetDuration
        encoder = try OpusEncoder(configuration, target: target)
    }

    private var samplesPerPacket: Int { 2 * encoder.configuration.packetDuration.frames }

    /// Whole packets of it.
    mutating func encode(_ samples: [Float]) throws {
        for start in stride(from: 0, through: samples.count - samplesPerPacket, by: samplesPerPacket) {
            packets.append(try encoder.encode(Array(samples[start..<start + samplesPerPacket])))
        }
    }

    mutating func encode(_ tone: inout Tone, packets count: Int) throws {
        try encode(tone.next(count * samplesPerPacket / 2))
    }

    mutating func encodeSilence(packets count: Int) throws {
        try encode([Float](repeating: 0, count: count * samplesPerPacket))
    }

    /// The mean of some packets, in bit/s.
    func rate(of range: Range<Int>) -> Double {
        let bits = packets[range].reduce(0) { $0 + $1.bytes.count * 8 }
        return Double(bits) / (Double(range.count) * encoder.configuration.packetDuration.duration.seconds)
    }

    func decoded() throws -> [Float] {
        let decoder = try OpusDecoder()
        return try packets.flatMap { try decoder.decode($0.bytes) }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// A voice of a kind: pulses of 130 Hz and their harmonics, swelling and fading three times a second.
func speech(frames: Int) -> [Float] {
    var random = SeededGenerator(seed: 3)
    var (first, second, phase) = (0.0, 0.0, 0.0)
    var samples: [Float] = []
    for frame in 0..<frames {
        let time = Double(frame) / 48_000
        let swell = max(0, triangle(time * 3))
        phase += (130 + 40 * triangle(time * 0.7)) / 48_000
        let pulse = phase >= 1 ? 1.0 : 0.0
        if phase >= 1 { phase -= 1 }
        // One formant near 700 Hz.
        let value = pulse + 1.97 * first - 0.978 * second
        (first, second) = (value, first)
        let sample = Float(max(-0.9, min(0.9, 0.02 * value * swell + 0.002 * (random.unit() - 0.5))))
        samples += [sample, sample]
    }
    return samples
}

/// −1 to 1 and back in one turn.
private func triangle(_ turns: Double) -> Double { 1 - 4 * abs(turns - turns.rounded()) }
