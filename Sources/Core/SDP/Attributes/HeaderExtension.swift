/// `a=extmap` (RFC 8285 § 5).
package struct HeaderExtension: Hashable, Sendable {
    package var id: UInt8
    /// Nil where none is given: the section's own.
    package var direction: Direction?
    package var uri: String

    package init(id: UInt8, direction: Direction? = nil, uri: String) {
        self.id = id
        self.direction = direction
        self.uri = uri
    }

    /// `<id>[/<direction>] <URI> [<attributes>]`; nil for anything else, and for ids beyond the one-byte form.
    init?(parsing text: String) {
        let fields = text.fields(maxSplits: 2)
        guard fields.count >= 2 else { return nil }
        let parts = fields[0].split(at: UInt8(ascii: "/"), maxSplits: 1)
        guard let id: UInt8 = parts.first?.decimal(), Limits.headerExtensionIDs.contains(Int(id)) else { return nil }
        self.init(id: id, uri: fields[1])
        if parts.count == 2 {
            guard let direction = Direction(rawValue: parts[1]) else { return nil }
            self.direction = direction
        }
    }

    var attribute: Attribute {
        Attribute("extmap", direction.map { "\(id)/\($0.rawValue) \(uri)" } ?? "\(id) \(uri)")
    }
}

/// The header extensions we know, by URI.
enum HeaderExtensionURI {
    /// RFC 9143 § 15.
    static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    static let absSendTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    static let transportWideCC =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    static let playoutDelay = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
    static let videoContentType = "http://www.webrtc.org/experiments/rtp-hdrext/video-content-type"
    static let absCaptureTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"

    /// What we send with pictures, and ask for; their places give the ids of our own offers.
    static let video = [
        mid, absSendTime, transportWideCC, playoutDelay, videoContentType, absCaptureTime,
    ]
    static let audio = [mid, absSendTime, transportWideCC, absCaptureTime]
}

extension MediaDescription {
    /// The section's header extensions. An id or a URI that stands twice counts the first time.
    var headerExtensions: [HeaderExtension] {
        var ids: Set<UInt8> = []
        var uris: Set<String> = []
        return attributes.values(of: "extmap").compactMap(HeaderExtension.init(parsing:)).filter { candidate in
            guard !ids.contains(candidate.id), !uris.contains(candidate.uri) else { return false }
            ids.insert(candidate.id)
            uris.insert(candidate.uri)
            return true
        }
    }

    /// Those that may be sent to who wrote the section.
    var takenExtensions: [HeaderExtension] { headerExtensions.filter { $0.direction?.receives != false } }
}
