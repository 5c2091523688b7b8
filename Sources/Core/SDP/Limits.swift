/// The bounds of this target. Descriptions come from strangers: everything they can make long or many is counted.
enum Limits {
    /// A whole description or fragment; the HTTP body has the same bound. Browsers' offers take 7 to 20 KiB.
    static let bytes = 64 * 1024

    /// Browsers' offers have 200 to 700 lines.
    static let lines = 2048

    /// The longest line of use is an `m=` with all payload types, or an `fmtp` with parameter sets.
    static let lineBytes = 4096

    /// RFC 8866 sets none. A conference bridge has dozens, an offer to watch one screen has one to three.
    static let mediaDescriptions = 64

    /// Candidates taken from a description or a fragment; further ones are ignored. More than any host needs, and few
    /// enough that nobody scans a network through us.
    static let candidates = 32

    /// Formats of one `m=` line: payload types have seven bits (RFC 3550 § 5.1).
    static let formats = 128

    /// Fingerprints looked at (RFC 8122 § 5 allows several): one for each hash function, and some.
    static let fingerprints = 16

    /// RFC 8839 § 5.4: `ice-ufrag` has 4 to 256 characters, `ice-pwd` 22 to 256.
    static let usernameFragment = 4...256
    static let password = 22...256

    /// Header extension ids of the one-byte form (RFC 8285 § 4.2); 15 is reserved.
    static let headerExtensionIDs = 1...14

    /// An identification tag (`a=mid`, RFC 5888 § 4). It also goes into each RTP packet's header, where 16 bytes fit.
    static let identificationTagBytes = 255
}
