/// The little a relay needs to know about SDP: that it has SDP's shape, and whose ICE session it is.
///
/// The sharer reads the rest. Linear in the text, and no line is kept.
package struct SDPOutline: Equatable, Sendable {
    /// Each `a=ice-ufrag` (RFC 8839 § 5.4) once: sections that are not bundled have one each.
    package let ufrags: [String]

    /// The first.
    package var ufrag: String? { ufrags.first }

    /// - Returns: nil unless the text is a session description (RFC 8866 § 5): `v=0` first, lines of `x=…`, an `m=`
    ///   line.
    package init?(description text: String) {
        guard let lines = SDPLines(text), lines.first == "v=0", lines.contains(where: { $0.hasPrefix("m=") }),
            let credentials = ICECredentials(lines)
        else { return nil }
        ufrags = credentials.ufrags
    }
}

/// An `application/trickle-ice-sdpfrag` body (RFC 8840 § 9.2): `a=` and pseudo `m=` lines only.
package struct TrickleFragment: Equatable, Sendable {
    /// The ICE sessions the candidates belong to, one for each transport; a new one restarts ICE.
    package let ufrags: [String]

    /// The first.
    package var ufrag: String? { ufrags.first }

    package init?(_ text: String) {
        guard let lines = SDPLines(text), !lines.isEmpty,
            lines.allSatisfy({ $0.hasPrefix("a=") || $0.hasPrefix("m=") }),
            let credentials = ICECredentials(lines), credentials.ufrags.isEmpty || credentials.hasPassword
        else { return nil }
        ufrags = credentials.ufrags
    }
}

/// The lines of a text in SDP's form.
private struct SDPLines: Collection {
    private let lines: [Substring]

    init?(_ text: String) {
        // By bytes: to find out which of them are one character takes most of the time that an outline takes.
        let pieces = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let ended = pieces.dropLast().map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        let lines = (ended + pieces.suffix(1)).filter { !$0.isEmpty }.map { Substring($0) }
        guard lines.allSatisfy(Self.isLine) else { return nil }
        self.lines = lines
    }

    /// RFC 8866 § 5: a lower-case letter, `=`, then text without controls.
    private static func isLine(_ line: Substring) -> Bool {
        let bytes = line.utf8
        guard bytes.count <= Limits.sdpLine, let letter = bytes.first, bytes.dropFirst().first == UInt8(ascii: "=")
        else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    var startIndex: Int { lines.startIndex }
    var endIndex: Int { lines.endIndex }
    func index(after index: Int) -> Int { lines.index(after: index) }
    subscript(index: Int) -> Substring { lines[index] }
}

/// The user name fragments, and whether a password stands beside one.
private struct ICECredentials {
    var ufrags: [String] = []
    var hasPassword = false

    /// - Returns: nil where one of them has a length, or other characters than RFC 8839 § 5.4 allows; `-`, `_` and `=` do no
    ///   harm.
    init?(_ lines: SDPLines) {
        for line in lines {
            if let value = line.value(ofAttribute: "a=ice-ufrag:") {
                guard Limits.ufrag.contains(value.utf8.count), value.isICEText else { return nil }
                let ufrag = String(value)
                if ufrags.count < Limits.ufrags, !ufrags.contains(ufrag) { ufrags.append(ufrag) }
            } else if let value = line.value(ofAttribute: "a=ice-pwd:") {
                guard Limits.icePassword.contains(value.utf8.count), value.isICEText else { return nil }
                hasPassword = true
            }
        }
    }
}

extension Substring {
    fileprivate var isICEText: Bool {
        allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/-_=".contains($0)) }
    }

    fileprivate func value(ofAttribute prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count).trimmingSpaces : nil
    }
}
