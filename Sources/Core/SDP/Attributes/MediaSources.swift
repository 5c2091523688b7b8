/// `a=msid` (RFC 8830): the stream and the track a section belongs to.
package struct MediaStreamID: Hashable, Sendable {
    package var stream: String
    package var track: String?

    package init(stream: String, track: String?) {
        self.stream = stream
        self.track = track
    }

    init?(parsing text: String) {
        let fields = text.fields(maxSplits: 2)
        guard let stream = fields.first else { return nil }
        self.init(stream: stream, track: fields.count > 1 ? fields[1] : nil)
    }

    var text: String { track.map { "\(stream) \($0)" } ?? stream }
}

/// What `a=ssrc` and `a=ssrc-group:FID` say of a section's streams (RFC 5576).
package struct MediaSources: Hashable, Sendable {
    /// In order of appearance.
    package private(set) var ssrcs: [UInt32] = []
    package private(set) var cname: String?
    /// The media stream, and its retransmission's (RFC 4588 § 8.3 with RFC 5576 § 4.2).
    package private(set) var primary: UInt32?
    package private(set) var retransmission: UInt32?

    init(_ attributes: [Attribute]) {
        var seen: Set<UInt32> = []
        for value in attributes.values(of: "ssrc") {
            guard let (number, rest) = value.halves(at: UInt8(ascii: " ")), let ssrc: UInt32 = number.decimal() else {
                continue
            }
            if seen.insert(ssrc).inserted { ssrcs.append(ssrc) }
            if cname == nil, let (name, text) = rest.halves(at: UInt8(ascii: ":")), name == "cname" { cname = text }
        }
        for value in attributes.values(of: "ssrc-group") where primary == nil {
            let fields = value.fields(maxSplits: 3)
            guard fields.count >= 3, fields[0] == "FID" else { continue }
            primary = fields[1].decimal()
            retransmission = fields[2].decimal()
        }
        if primary == nil { primary = ssrcs.first }
    }
}

extension MediaDescription {
    package var sources: MediaSources { MediaSources(attributes) }
    package var mediaStreamID: MediaStreamID? { attributes.value(of: "msid").flatMap(MediaStreamID.init(parsing:)) }
}
