/// When the encoder has to look for speech and silence (libopus does from complexity 7 on).
///
/// That takes a third of its time. From `Limits.leastLoudRate` on libopus codes speech and music alike, so that only
/// silence is to be found, where it is left out (DTX); and no packet louder than `Limits.loudest` can be silence to it.
struct Listening: Sendable {
    private var loudPackets = 0

    /// Whether it has to for this packet.
    ///
    /// - Parameters:
    ///   - samples: of the packet, −1 to 1.
    ///   - leavesOutSilence: otherwise the first loud sound is enough, in case silence is left out later.
    mutating func isNeeded(for samples: [Float], leavesOutSilence: Bool) -> Bool {
        if !leavesOutSilence, loudPackets >= Limits.packetsToListen { return false }
        let isLoud = Self.power(of: samples) > Limits.loudest
        if isLoud {
            loudPackets = min(loudPackets + 1, Limits.packetsToListen)
        } else if leavesOutSilence {
            loudPackets = 0
        }
        return loudPackets < Limits.packetsToListen && (isLoud || leavesOutSilence)
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
