import CSRTP
import PeerCore

/// One direction of SRTP and SRTCP: the only owner of its `srtp_t`.
struct SRTPContext: ~Copyable {
    enum Direction {
        case inbound
        case outbound
    }

    typealias Transform =
        (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t

    private let handle: srtp_t
    /// Room for what is added: copied as a whole, where repeated zeros are written one by one.
    private static let trailer = [UInt8](repeating: 0, count: SRTPSession.trailerBytes)

    /// Any SSRC of the direction is taken. `key` is the master key followed by the master salt.
    init(_ direction: Direction, profile: SRTPProfile, key: [UInt8]) throws(ProtectionError) {
        guard SRTPLibrary.isReady, key.count == SRTPProfile.masterKeyBytes + profile.masterSaltBytes else {
            throw .malformed
        }
        guard let handle = Self.create(direction, profile: profile, key: key) else { throw .exhausted }
        self.handle = handle
    }

    deinit {
        srtp_dealloc(handle)
    }

    private static func create(_ direction: Direction, profile: SRTPProfile, key: [UInt8]) -> srtp_t? {
        var policy = srtp_policy_t()
        guard srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, profile.libraryProfile) == srtp_err_status_ok,
            srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, profile.libraryProfile) == srtp_err_status_ok
        else { return nil }
        policy.ssrc.type = direction == .inbound ? ssrc_any_inbound : ssrc_any_outbound
        policy.window_size = Limits.replayWindow
        // A sequence number sent twice would use a GCM nonce twice. Retransmissions have their own SSRC (RFC 4588).
        policy.allow_repeat_tx = 0
        var handle: srtp_t?
        var key = key
        let status = key.withUnsafeMutableBufferPointer { bytes in
            policy.key = bytes.baseAddress
            return srtp_create(&handle, &policy)  // copies the key
        }
        return status == srtp_err_status_ok ? handle : nil
    }

    /// Runs one of libsrtp's four transforms in place. After an error the packet's bytes are undefined.
    /// - Parameter mayGrow: bytes may be added, `SRTPSession.trailerBytes` at most; the packet is cut to what was.
    func apply(_ transform: Transform, to packet: inout [UInt8], mayGrow: Bool) -> srtp_err_status_t {
        var length = Int32(packet.count)
        if mayGrow { packet += Self.trailer }
        let status = packet.withUnsafeMutableBytes { transform(handle, $0.baseAddress, &length) }
        packet.removeLast(packet.count - min(max(0, Int(length)), packet.count))
        return status
    }
}

extension SRTPProfile {
    fileprivate var libraryProfile: srtp_profile_t {
        switch self {
        case .aeadAES128GCM: srtp_profile_aead_aes_128_gcm
        case .aes128CMSHA1_80: srtp_profile_aes128_cm_sha1_80
        }
    }
}
