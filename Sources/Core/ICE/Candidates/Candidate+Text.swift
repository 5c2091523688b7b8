import Datagrams

/// Why a `candidate` line gives no candidate; such lines are skipped.
package enum CandidateError: Error, Hashable, Sendable {
    case tooLong
    case malformed
    /// A host name outside `.local` (RFC 8839 § 5.1: "MUST ignore … candidates with FQDNs").
    case unsupportedAddress
    /// A candidate type that is not of RFC 8839.
    case unsupportedType
}

/// The `candidate` attribute (RFC 8839 § 5.1):
///
///     candidate:foundation component transport priority address port typ type [raddr … rport …] [name value]…
extension Candidate {
    /// Reads the attribute's value, with or without `a=` and `candidate:` before it.
    package init(_ text: String) throws(CandidateError) {
        guard text.utf8.count <= Limits.candidateLineBytes else { throw .tooLong }
        let fields = Self.value(text).split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count >= 8, fields[6] == "typ" else { throw .malformed }
        guard let foundation = Self.foundation(fields[0]), let componentID: UInt16 = Self.number(fields[1]),
            (1...256).contains(componentID), let priority: UInt32 = Self.number(fields[3]),
            Limits.priorities.contains(priority), let port: UInt16 = Self.number(fields[5])
        else { throw .malformed }
        let extensions = Self.pairs(fields[8...])
        let transport = Self.transport(fields[2], tcpType: extensions["tcptype"])
        guard let type = CandidateType(rawValue: String(fields[7])) else { throw .unsupportedType }
        self.init(
            foundation: foundation, componentID: componentID, transport: transport, priority: priority,
            address: try Self.address(fields[4], port, TransportProtocol(transport)), type: type,
            relatedAddress: Self.related(extensions), ufrag: extensions["ufrag"])
    }

    private static func value(_ text: String) -> Substring {
        var value = text[...]
        for prefix in ["a=", "candidate:"] where value.hasPrefix(prefix) { value = value.dropFirst(prefix.count) }
        return value
    }

    private static func foundation(_ text: Substring) -> String? {
        Limits.foundationLengths.contains(text.utf8.count) && text.utf8.allSatisfy(\.isICECharacter)
            ? String(text) : nil
    }

    /// Digits only: the standard library's own would take a sign.
    private static func number<Number: FixedWidthInteger>(_ text: Substring) -> Number? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Number(text) : nil
    }

    private static func transport(_ text: Substring, tcpType: String?) -> CandidateTransport {
        switch text.lowercased() {
        case "udp": .udp
        case "tcp": .tcp(tcpType.flatMap(TCPType.init))
        default: .other(String(text))  // any token may stand here
        }
    }

    private static func address(
        _ text: Substring, _ port: UInt16, _ transport: TransportProtocol
    ) throws(CandidateError) -> CandidateAddress {
        if let ip = IPAddress(String(text)) { return .ip(TransportAddress(ip: ip, port: port, transport: transport)) }
        guard text.utf8.count <= Limits.hostNameBytes, text.utf8.count > ".local".utf8.count,
            text.lowercased().hasSuffix(".local")
        else { throw .unsupportedAddress }
        return .mdns(name: String(text), port: port)
    }

    private static func related(_ extensions: [String: String]) -> TransportAddress? {
        guard let ip = extensions["raddr"].flatMap(IPAddress.init),
            let port: UInt16 = extensions["rport"].flatMap({ number($0[...]) })
        else { return nil }
        return TransportAddress(ip: ip, port: port)
    }

    /// Names and values in turn; the first of a name counts, and an odd one at the end is ignored.
    private static func pairs(_ fields: ArraySlice<Substring>) -> [String: String] {
        var pairs: [String: String] = [:]
        var rest = fields
        while let name = rest.popFirst(), let value = rest.popFirst() {
            if pairs[String(name)] == nil { pairs[String(name)] = String(value) }
        }
        return pairs
    }
}

extension Candidate: CustomStringConvertible {
    /// The attribute without `a=`.
    package var description: String { "candidate:\(attributeValue)" }

    /// What follows `a=candidate:` (RFC 8839 § 5.1).
    package var attributeValue: String {
        var fields = ["\(foundation)", "\(componentID)", transportText, "\(priority)"]
        switch address {
        case .ip(let address): fields += ["\(address.ip)", "\(address.port)"]
        case .mdns(let name, let port): fields += [name, "\(port)"]
        }
        fields += ["typ", type.rawValue]
        if let relatedAddress { fields += ["raddr", "\(relatedAddress.ip)", "rport", "\(relatedAddress.port)"] }
        if case .tcp(let type?) = transport { fields += ["tcptype", type.rawValue] }
        if let ufrag { fields += ["ufrag", ufrag] }
        return fields.joined(separator: " ")
    }

    private var transportText: String {
        switch transport {
        case .udp: "udp"
        case .tcp: "tcp"
        case .other(let name): name
        }
    }
}

extension UInt8 {
    /// `ice-char = ALPHA / DIGIT / "+" / "/"` (RFC 8839 § 5.1).
    var isICECharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false  // every other byte
        }
    }

    /// Besides, libnice and others send `-`, `_` and `=` in names and passwords, which harm nothing.
    var isCredentialCharacter: Bool {
        isICECharacter || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self == UInt8(ascii: "=")
    }
}
