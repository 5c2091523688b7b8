import Datagrams
import PeerCore

enum TestPacket {
    static func rtp(sequence: UInt16, ssrc: UInt32 = 0xCAFE_BABE, payload: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
        var packet: [UInt8] = [0x80, 96]
        packet.append(u16: sequence)
        packet.append(u32: 0x1234_5678)
        packet.append(u32: ssrc)
        return packet + payload
    }

    static func rtcp(ssrc: UInt32 = 0xCAFE_BABE, payload: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
        var packet: [UInt8] = [0x81, 200]
        packet.append(u16: UInt16(payload.count / 4 + 1))
        packet.append(u32: ssrc)
        return packet + payload
    }
}

extension SRTPKeys {
    /// The same key in both directions, so that a session opens what it protects itself.
    static func both(_ profile: SRTPProfile, _ key: [UInt8]) -> SRTPKeys {
        SRTPKeys(profile: profile, local: key, remote: key)
    }
}

/// SplitMix64: small, seeded and the same everywhere.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
