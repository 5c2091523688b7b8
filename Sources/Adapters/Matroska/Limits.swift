/// Every bound of the Matroska writer, with its reason. Times are in milliseconds, as the file has them.
enum Limits {
    /// Sound without a picture waits for half a second at most, so that no more is lost with the process.
    static let clusterTime: Int64 = 500
    /// No packet is written out of order by as much: what is farther behind comes from a clock that began anew.
    static let lateTime: Int64 = 500
    /// Nor does a track begin so far behind the other.
    static let apartTime: Int64 = 10_000
    /// An hour, of the thirteen in which a clock of 90 kHz wraps: what is farther ahead than this comes from one that began
    /// anew, anywhere in them.
    static let gapTime: Int64 = 3_600_000
    /// Likewise, at 48 kHz.
    static let filledSamples = gapTime * 48
    /// In samples: a decoder that begins in mid-stream has settled after 80 ms (RFC 7845 § 4.6).
    static let seekPreroll = 3840
    /// Far more than any picture takes, far less than libavformat counts to.
    static let pictureBytes = 1 << 26
    /// So many parameter sets of a kind fit into a track's header (ISO/IEC 14496-15 § 5.3.3.1.2).
    static let sequenceParameterSets = 31
    static let pictureParameterSets = 255
    /// libavformat writes in pieces of this size.
    static let ioBufferBytes: Int32 = 16_384
    /// Of libavformat's words for an error; they are some forty letters.
    static let errorBytes = 128
}
