/// Our side of the transport, as our descriptions tell it.
package struct LocalTransport: Hashable, Sendable {
    package var credentials: ICECredentials
    /// Our certificate's SHA-256 digest.
    package var fingerprint: [UInt8]
    /// What follows `a=candidate:`.
    package var candidates: [String]
    /// No more candidates will come.
    package var isComplete: Bool

    package init(credentials: ICECredentials, fingerprint: [UInt8], candidates: [String], isComplete: Bool = true) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.candidates = candidates
        self.isComplete = isComplete
    }

    /// We trickle (RFC 8838) and follow RFC 8445 (RFC 8839 § 4.2.1).
    static let options = Attribute("ice-options", "trickle ice2")

    /// - Parameter isTagged: only the tagged section of a bundle names candidates (RFC 8829 § 5.2.1).
    func attributes(setup: SetupRole, isTagged: Bool) -> [Attribute] {
        var attributes = credentials.attributes
        attributes.add("fingerprint", CertificateFingerprint(digest: fingerprint).text)
        attributes.add("setup", setup.rawValue)
        if isTagged {
            attributes += candidateAttributes
        }
        return attributes
    }

    private var candidateAttributes: [Attribute] {
        candidates.map { Attribute("candidate", $0) } + (isComplete ? [Attribute("end-of-candidates")] : [])
    }
}

/// One of our streams, as our descriptions tell it.
package struct LocalStream: Hashable, Sendable {
    package var ssrc: UInt32
    /// Of the retransmissions (RFC 4588); nil where there are none.
    package var retransmissionSSRC: UInt32?
    /// Of the repair packets (RFC 8627); nil where there are none.
    package var flexFECSSRC: UInt32?
    package var cname: String
    package var id: MediaStreamID

    package init(
        ssrc: UInt32, retransmissionSSRC: UInt32? = nil, flexFECSSRC: UInt32? = nil, cname: String, id: MediaStreamID
    ) {
        self.ssrc = ssrc
        self.flexFECSSRC = flexFECSSRC
        self.retransmissionSSRC = retransmissionSSRC
        self.cname = cname
        self.id = id
    }

    var attributes: [Attribute] {
        var attributes: [Attribute] = []
        if let retransmissionSSRC { attributes.add("ssrc-group", "FID \(ssrc) \(retransmissionSSRC)") }
        // RFC 5956 § 4.3.
        if let flexFECSSRC { attributes.add("ssrc-group", "FEC-FR \(ssrc) \(flexFECSSRC)") }
        for ssrc in [ssrc, retransmissionSSRC, flexFECSSRC].compactMap(\.self) {
            attributes.add("ssrc", "\(ssrc) cname:\(cname)")
        }
        return attributes
    }
}
