/// When the encoder has to look for speech and silence (libopus does from complexity 7 on).
///
/// That takes a third of its time. Sound that stays loud needs none of it: from `Limits.leastLoudRate` on libopus
/// codes speech and music alike, and no packet louder than `Limits.loudest` can be silence to it.
struct Listening: Sendable {
    private var loudPackets = 0

    /// Whether it has to for this packet.
    ///
    /// - Parameter samples: of the packet, −1 to 1.
    mutating func isNeeded(for samples: [Float]) -> Bool {
        loudPackets = Self.power(of: samples) > Limits.loudest ? min(loudPackets + 1, Limits.packetsToListen) : 0
        return loudPackets < Limits.packetsToListen
    }

    /// The mean of their squares; no number where one of them is none.
    private static func power(of samples: [Float]) -> Float {
        guard !samples.isEmpty else { return 0 }
        let sum = samples.withUnsafeBytes { bytes in
            var sum = SIMD8<Float>.zero
            let stride = MemoryLayout<SIMD8<Float>>.size
            for offset in Swift.stride(from: 0, through: bytes.count - stride, by: stride) {
                let part = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                sum += part * part
            }
            return sum.sum()
        }
        return sum / Float(samples.count)
    }
}
