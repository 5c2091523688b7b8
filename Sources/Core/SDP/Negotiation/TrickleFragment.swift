/// A body of `application/trickle-ice-sdpfrag` (RFC 8840 § 9): candidates that come after the offer, or the credentials
/// and candidates of an ICE restart.
package struct TrickleFragment: Hashable, Sendable {
    /// A pseudo `m=` section: what belongs to one identification tag.
    package struct Section: Hashable, Sendable {
        /// `audio`, `video`, …; whatever else the pseudo line says is ignored (RFC 8840 § 4.4).
        var kind: String
        var mid: String?
        var credentials: ICECredentials?
        /// What follows `a=candidate:`.
        var candidates: [String] = []
        var isComplete = false

        init(kind: String = "video", mid: String? = nil) {
            self.kind = kind
            self.mid = mid
        }
    }

    package var isLite = false
    package var options: [String] = []
    /// The `BUNDLE` group's tags; the first is the tagged section's.
    package var bundle: [String] = []
    /// At session level.
    package var sessionCredentials: ICECredentials?
    /// At session level: all sections are complete.
    package var isSessionComplete = false
    package var sections: [Section] = []

    package init() {}
}

extension TrickleFragment {
    /// The credentials of the one transport: the session's, or the first section's that has any. They say which ICE
    /// session the fragment means; new ones ask for a restart.
    package var credentials: ICECredentials? {
        sessionCredentials ?? sections.lazy.compactMap(\.credentials).first
    }

    /// All sections' candidates, in order.
    package var candidates: [String] { sections.flatMap(\.candidates) }

    /// No more candidates will come: said for the session, or by the section that has the transport.
    package var isComplete: Bool {
        isSessionComplete || tagged?.isComplete == true
    }

    /// What is left where sections with one of these tags say nothing.
    package func without(_ tags: Set<String>) -> TrickleFragment {
        var rest = self
        rest.sections.removeAll { section in section.mid.map { tags.contains($0) } == true }
        return rest
    }

    /// The section that has the transport.
    private var tagged: Section? {
        sections.first { $0.mid != nil && $0.mid == bundle.first } ?? sections.first
    }
}

extension TrickleFragment {
    /// The fragment that tells of a transport of ours within a session we described before: what the WHEP draft's PATCH
    /// carries. It has the description's group and tagged section.
    package init(of description: SessionDescription, transport: LocalTransport) {
        options = LocalTransport.options.value?.fields() ?? []
        bundle = description.group("BUNDLE") ?? []
        let tagged = description.media.first { $0.mid != nil && $0.mid == bundle.first } ?? description.media.first
        var section = Section(kind: tagged?.kind ?? "video", mid: tagged?.mid)
        section.credentials = transport.credentials
        section.candidates = transport.candidates
        section.isComplete = transport.isComplete
        sections = [section]
    }

    /// What answers an ICE restart: it has the other side's group and tagged section, and the options of our descriptions
    /// (the WHEP draft, "ICE Restarts").
    ///
    /// - Parameter candidates: what follows `a=candidate:`; no more will come.
    package init(answering restart: TrickleFragment, credentials: ICECredentials, candidates: [String]) {
        options = LocalTransport.options.value?.fields() ?? []
        bundle = restart.bundle
        var section = Section(kind: restart.tagged?.kind ?? "video", mid: restart.tagged?.mid)
        section.credentials = credentials
        section.candidates = candidates
        section.isComplete = true
        sections = [section]
    }
}

extension TrickleFragment: CustomStringConvertible {
    /// The body, as the WHEP draft's examples have it.
    package var description: String {
        var attributes: [Attribute] = []
        if isLite { attributes.add("ice-lite") }
        if !options.isEmpty { attributes.add("ice-options", options.joined(separator: " ")) }
        if !bundle.isEmpty { attributes.add("group", (["BUNDLE"] + bundle).joined(separator: " ")) }
        attributes += sessionCredentials?.attributes ?? []
        if isSessionComplete { attributes.add("end-of-candidates") }
        let lines = attributes.map(\.line) + sections.flatMap(\.lines)
        return lines.map { "\($0.type)=\($0.value)\r\n" }.joined()
    }
}

extension TrickleFragment.Section {
    fileprivate var lines: [Line] {
        var attributes: [Attribute] = []
        if let mid { attributes.add("mid", mid) }
        attributes += credentials?.attributes ?? []
        attributes += candidates.map { Attribute("candidate", $0) }
        if isComplete { attributes.add("end-of-candidates") }
        // RFC 8840 § 4.4: the port and the format of a pseudo line say nothing.
        return [Line("m", "\(kind) 9 UDP/TLS/RTP/SAVPF 0")] + attributes.map(\.line)
    }
}
