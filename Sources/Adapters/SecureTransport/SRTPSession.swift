import CSRTP
import Datagrams
import PeerCore

/// SRTP and SRTCP with one peer, by libsrtp2 (RFC 3711, RFC 7714).
///
/// After an error a packet's bytes are undefined: drop it. To spare a reallocation, callers reserve room for
/// `SRTPSession.trailerBytes` beyond what they protect.
final class SRTPSession: PacketProtector {
    /// What libsrtp may write beyond a packet (a tag and an MKI), and SRTCP's E bit and index.
    static let trailerBytes = 144 + 4  // SRTP_MAX_TRAILER_LEN, a macro over macros, and RFC 3711 § 3.4

    private let outbound: SRTPContext
    private let inbound: SRTPContext
    private let tagBytes: Int
    /// SSRCs that have sent an authentic packet.
    private var inboundStreams: [UInt32] = []

    init(keys: SRTPKeys) throws(ProtectionError) {
        outbound = try SRTPContext(.outbound, profile: keys.profile, key: keys.local)
        inbound = try SRTPContext(.inbound, profile: keys.profile, key: keys.remote)
        tagBytes = keys.profile.tagBytes
    }

    func protectRTP(_ packet: inout [UInt8]) throws(ProtectionError) {
        _ = try Self.ssrc(of: packet, at: RTPHeader.ssrcOffset, minimum: RTPHeader.bytes)
        try Self.check(sent: outbound.apply(srtp_protect, to: &packet, mayGrow: true))
    }

    func protectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) {
        _ = try Self.ssrc(of: packet, at: RTCPHeader.ssrcOffset, minimum: RTCPHeader.bytes)
        try Self.check(sent: outbound.apply(srtp_protect_rtcp, to: &packet, mayGrow: true))
    }

    func unprotectRTP(_ packet: inout [UInt8]) throws(ProtectionError) {
        let ssrc = try Self.ssrc(of: packet, at: RTPHeader.ssrcOffset, minimum: RTPHeader.bytes + tagBytes)
        let isNew = try admit(ssrc)
        try Self.check(received: inbound.apply(srtp_unprotect, to: &packet, mayGrow: false))
        if isNew { inboundStreams.append(ssrc) }
    }

    func unprotectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) {
        let minimum = RTCPHeader.bytes + RTCPHeader.indexBytes + tagBytes
        let ssrc = try Self.ssrc(of: packet, at: RTCPHeader.ssrcOffset, minimum: minimum)
        let isNew = try admit(ssrc)
        try Self.check(received: inbound.apply(srtp_unprotect_rtcp, to: &packet, mayGrow: false))
        if isNew { inboundStreams.append(ssrc) }
    }

    /// Whether the stream is a new one. Past the limit packets of further streams count as malformed.
    private func admit(_ ssrc: UInt32) throws(ProtectionError) -> Bool {
        if inboundStreams.contains(ssrc) { return false }
        guard inboundStreams.count < Limits.inboundStreams else { throw .malformed }
        return true
    }
}

extension SRTPSession {
    private enum RTPHeader {
        static let bytes = 12  // RFC 3550 § 5.1
        static let ssrcOffset = 8
    }

    private enum RTCPHeader {
        static let bytes = 8  // RFC 3550 § 6.4: the header and the sender's SSRC
        static let ssrcOffset = 4
        static let indexBytes = 4  // E bit and SRTCP index, RFC 3711 § 3.4
    }

    /// What can be refused before libsrtp sees it: wrong version, too short, too long.
    private static func ssrc(of packet: [UInt8], at offset: Int, minimum: Int) throws(ProtectionError) -> UInt32 {
        guard packet.count >= minimum, packet.count <= Limits.packetBytes, packet[0] >> 6 == 2,
            let ssrc = packet.read({ $0.u32(at: offset) })
        else { throw .malformed }
        return ssrc
    }

    private static func check(sent status: srtp_err_status_t) throws(ProtectionError) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old: throw .replayed
        case srtp_err_status_bad_param, srtp_err_status_parse_err: throw .malformed
        default: throw .exhausted
        }
    }

    /// Only a used-up key and a lack of memory are the library's failure; the rest is the packet's.
    private static func check(received status: srtp_err_status_t) throws(ProtectionError) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old: throw .replayed
        case srtp_err_status_auth_fail, srtp_err_status_cipher_fail: throw .authenticationFailed
        case srtp_err_status_key_expired, srtp_err_status_alloc_fail: throw .exhausted
        default: throw .malformed
        }
    }
}

extension SRTPProfile {
    /// RFC 3711 § 5.2 (80 bits) and RFC 7714 § 12.1.
    fileprivate var tagBytes: Int {
        switch self {
        case .aeadAES128GCM: 16
        case .aes128CMSHA1_80: 10
        }
    }
}
