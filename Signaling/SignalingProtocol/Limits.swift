/// Bounds of what travels between sharer, server and viewer. Both sides hold to them.
package enum Limits {
    /// A room name fits a line on a phone and a path segment.
    static let roomName = 64
    /// What a sharer may call its room, in characters.
    package static let displayName = 80
    /// Bearer tokens and share secrets, in characters.
    package static let token = 256
    /// Those of other servers, which may hold a signed statement: as much as servers take in one field.
    static let foreignToken = 8192
    /// A request body: 64 KiB hold any offer a browser makes several times over.
    package static let body = 64 * 1024
    /// A sharer's registration, with a ticket for each of its viewers: 342 bytes where the ufrag is as long as may be.
    package static let registration = 384 * 1024
    /// Nesting of JSON; ours needs three levels.
    static let jsonDepth = 32
    /// A line of SDP or of a trickle fragment; the longest real ones are `a=fingerprint` and `a=ssrc` with about 200.
    static let sdpLine = 2048
    /// RFC 8839 § 5.4: a ufrag has 4 to 256 characters, a password 22 to 256.
    package static let ufrag = 4...256
    static let icePassword = 22...256
    /// Transports of one session: sections that are not bundled have one each.
    static let ufrags = 16
    /// Free text in a problem or a refusal, in characters.
    package static let detail = 400
    /// One server-sent event, with room for a body's worth of SDP escaped as JSON.
    static let event = 4 * body
    /// Viewers of one share, whatever a sharer asks for.
    package static let viewersPerShare = 1024
}
