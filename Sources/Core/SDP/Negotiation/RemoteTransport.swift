/// What a peer's description says of the one transport all bundled sections share: ICE and DTLS.
package struct RemoteTransport: Hashable, Sendable {
    package var credentials: ICECredentials
    /// The certificate's SHA-256 digest: 32 bytes.
    package var fingerprint: [UInt8]
    /// `a=setup`, as the peer wrote it; nil where it wrote none.
    package var setup: SetupRole?
    /// `trickle`, `ice2`, `renomination`, …
    package var options: [String]
    package var isLite: Bool
    /// What follows `a=candidate:`, at most 32; browsers' `.local` names among them.
    package var candidates: [String]
    /// `a=end-of-candidates`: no more will come (RFC 8840 § 8.2).
    package var isComplete: Bool

    /// Reads a section; what it lacks is taken from the session (RFC 8866 § 5.13, RFC 8839 § 5.4, RFC 8122 § 5).
    ///
    /// - Parameter bundle: the sections that share the transport. Where this one has no candidates, theirs count: some peers
    ///   name them in their first section alone, be it a data channel's (libdatachannel), or in another than the tagged one.
    init(
        _ section: MediaDescription, in session: SessionDescription, sharedBy bundle: Bundle
    ) throws(TransportFault) {
        credentials = try Self.credentials(section.attributes, session.attributes)
        fingerprint = try Self.fingerprint(section.attributes, session.attributes)
        setup = try Self.setup(section.attributes.value(of: "setup") ?? session.attributes.value(of: "setup"))
        let options = section.attributes.value(of: "ice-options") ?? session.attributes.value(of: "ice-options")
        self.options = options?.fields() ?? []
        isLite = session.attributes.has("ice-lite")
        let naming = Self.section(naming: credentials, section, in: session, bundle)
        var left = Limits.candidates
        candidates = naming.attributes.values(of: "candidate").filter { candidate in
            defer { if Self.mayBeChecked(candidate) { left -= 1 } }
            return left > 0
        }
        isComplete = naming.attributes.has("end-of-candidates") || session.attributes.has("end-of-candidates")
    }

    /// The section that names the candidates; only of the same ICE session.
    private static func section(
        naming credentials: ICECredentials, _ section: MediaDescription, in session: SessionDescription, _ bundle: Bundle
    ) -> MediaDescription {
        if section.attributes.has("candidate") { return section }
        let others = bundle.sections.map { session.media[$0] }
        let naming = others.first { other in
            other.attributes.has("candidate") && !other.isRejected
                && (try? Self.credentials(other.attributes, session.attributes)) == credentials
        }
        return naming ?? section
    }

    /// Neither of RTCP's component nor of who only connects over TCP: peers list those among the others, and one of their
    /// last lines may be the only one that leads to them. Those don't count; they are not many by the text's own length.
    static func mayBeChecked(_ candidate: String) -> Bool {
        let fields = candidate.split(separator: " ", maxSplits: 2)
        return fields.count < 2 || fields[1] == "1" && !candidate.contains(" tcptype active")
    }

    private static func credentials(
        _ section: [Attribute], _ session: [Attribute]
    ) throws(TransportFault) -> ICECredentials {
        guard let fragment = section.value(of: "ice-ufrag") ?? session.value(of: "ice-ufrag"),
            let password = section.value(of: "ice-pwd") ?? session.value(of: "ice-pwd")
        else { throw .noCredentials }
        guard let credentials = ICECredentials(checking: fragment, password: password) else {
            throw .malformedCredentials
        }
        return credentials
    }

    /// SHA-256, whatever else is there (RFC 8122 § 5.1: the strongest both know). A malformed line is no reason to look
    /// at the next one: somebody may have spoilt it.
    static func fingerprint(_ section: [Attribute], _ session: [Attribute]) throws(TransportFault) -> [UInt8] {
        let own = section.values(of: "fingerprint")
        let values = own.isEmpty ? session.values(of: "fingerprint") : own
        if values.isEmpty { throw .noFingerprint }
        if values.count > Limits.fingerprints { throw .malformedFingerprint }
        var digests: [[UInt8]] = []
        for value in values {
            guard let fingerprint = CertificateFingerprint(parsing: value) else { throw .malformedFingerprint }
            guard fingerprint.algorithm == "sha-256" else { continue }
            guard fingerprint.digest.count == 32 else { throw .malformedFingerprint }
            digests.append(fingerprint.digest)
        }
        guard let digest = digests.first else { throw .noSHA256Fingerprint }
        guard digests.allSatisfy({ $0 == digest }) else { throw .conflictingFingerprints }
        return digest
    }

    private static func setup(_ value: String?) throws(TransportFault) -> SetupRole? {
        guard let value else { return nil }
        guard let role = SetupRole(rawValue: value), role != .holdconn else { throw .contradictorySetup }
        return role
    }
}
