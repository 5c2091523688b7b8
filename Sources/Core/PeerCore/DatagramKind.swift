import Datagrams

/// What a datagram on the one port is, by its first byte (RFC 7983 § 7) and, for RTP and RTCP, the second
/// (RFC 5761 § 4).
package enum DatagramKind: Hashable, Sendable {
    case stun
    case handshake
    case rtp
    case rtcp
    case unknown

    package init(_ bytes: RawSpan) {
        guard let first = bytes.u8(at: 0) else {
            self = .unknown
            return
        }
        switch first {
        case 0...3: self = .stun
        case 20...63: self = .handshake
        case 128...191:
            guard let second = bytes.u8(at: 1) else {
                self = .unknown
                return
            }
            self = (192...223).contains(second) ? .rtcp : .rtp
        default: self = .unknown
        }
    }
}
