import Datagrams

/// Feedback message types this project reads and writes (the count field of RTPFB and PSFB, RFC 4585 § 6.1).
enum FeedbackFormat {
    // RTPFB
    /// RFC 4585 § 6.2.1.
    static let genericNACK: UInt8 = 1
    /// RFC 6679 § 5.1.
    static let ecn: UInt8 = 8
    /// RFC 8888 § 3.1.
    static let congestionControl: UInt8 = 11
    /// draft-holmer-rmcat-transport-wide-cc-extensions-01 § 3.1.
    static let transportWide: UInt8 = 15

    // PSFB
    /// RFC 4585 § 6.3.1.
    static let pictureLossIndication: UInt8 = 1
    /// RFC 5104 § 4.3.1.
    static let fullIntraRequest: UInt8 = 4
    /// Application layer feedback (RFC 4585 § 6.4), where REMB lives.
    static let applicationLayer: UInt8 = 15
}

/// The two SSRCs every feedback message begins with (RFC 4585 § 6.1).
struct FeedbackSources {
    var sender: UInt32
    var media: UInt32

    init?(_ span: RawSpan, _ cursor: inout Cursor) {
        guard let sender = cursor.u32(span), let media = cursor.u32(span) else { return nil }
        self.sender = sender
        self.media = media
    }
}
