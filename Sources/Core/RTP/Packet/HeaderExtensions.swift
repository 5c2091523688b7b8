/// The typed header extensions of one packet; what is nil is not sent, or was not there.
package struct HeaderExtensions: Hashable, Sendable {
    /// Written where it has 1…16 bytes (RFC 8285 § 4.2).
    package var mid: String?
    package var rtpStreamID: String?
    package var repairedRTPStreamID: String?
    package var absoluteSendTime: AbsoluteSendTime?
    /// One counter for all streams of the transport.
    package var transportSequenceNumber: UInt16?
    package var playoutDelay: PlayoutDelay?
    package var videoContentType: VideoContentType?
    package var absoluteCaptureTime: AbsoluteCaptureTime?
    package var videoOrientation: VideoOrientation?
    /// RTP units, signed 24 bits (RFC 5450 § 2).
    package var transmissionOffset: Int32?
    package var audioLevel: AudioLevel?

    package init() {}
}
