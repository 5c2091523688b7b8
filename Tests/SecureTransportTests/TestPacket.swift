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
