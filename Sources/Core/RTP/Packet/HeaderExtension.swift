/// The header extensions this project knows (RFC 8285).
package enum HeaderExtension: Int, CaseIterable, Sendable {
    case mid
    case absoluteSendTime
    case transportSequenceNumber
    case playoutDelay
    case videoContentType
    case absoluteCaptureTime
    case videoOrientation
    case transmissionOffset
    case audioLevel
    case rtpStreamID
    case repairedRTPStreamID

    package init?(uri: String) {
        guard let known = Self.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = known
    }

    /// What SDP names it by (RFC 8285 § 5).
    package var uri: String {
        switch self {
        // RFC 8843 § 15.
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .absoluteSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .transportSequenceNumber:
            "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .videoContentType: "http://www.webrtc.org/experiments/rtp-hdrext/video-content-type"
        case .absoluteCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
        // 3GPP TS 26.114 § 7.4.5.
        case .videoOrientation: "urn:3gpp:video-orientation"
        // RFC 5450.
        case .transmissionOffset: "urn:ietf:params:rtp-hdrext:toffset"
        // RFC 6464.
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        // RFC 8852.
        case .rtpStreamID: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRTPStreamID: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        }
    }
}
