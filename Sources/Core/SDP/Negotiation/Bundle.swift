/// Which sections of a description share one transport (RFC 9143).
struct Bundle {
    /// Indices of the sections, in the group's order; the first is the tagged one. Without a group: the one section.
    let sections: [Int]

    /// Nil where two sections have the same tag, or one a tag that is too long.
    init?(_ description: SessionDescription, holding index: Int) {
        var indices: [String: Int] = [:]
        for (position, section) in description.media.enumerated() {
            guard let mid = section.mid else { continue }
            guard mid.utf8.count <= Limits.identificationTagBytes, indices.updateValue(position, forKey: mid) == nil
            else { return nil }
        }
        for group in description.groups("BUNDLE") {
            var seen: Set<Int> = []
            let members = group.compactMap { indices[$0] }.filter { seen.insert($0).inserted }
            if seen.contains(index) {
                sections = members
                return
            }
        }
        sections = [index]
    }

    /// The fingerprint must be one for all: a second certificate would belong to somebody else.
    func checkFingerprints(
        in description: SessionDescription, are fingerprint: [UInt8]
    ) throws(TransportFault) {
        for index in sections {
            let section = description.media[index]
            guard !section.isRejected, section.attributes.has("fingerprint") else { continue }
            guard try RemoteTransport.fingerprint(section.attributes, []) == fingerprint else {
                throw .conflictingFingerprints
            }
        }
    }
}
