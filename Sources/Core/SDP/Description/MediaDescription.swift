/// An `m=` section (RFC 8866 § 5.14). Attributes stay as they came, in order; typed views of them are computed.
package struct MediaDescription: Hashable, Sendable {
    /// `audio`, `video`, `application`, …
    var kind: String
    var port: UInt16
    /// `m=audio 49170/2`: how many ports follow.
    var portCount: UInt16?
    var transportProtocol: String
    /// Payload types, for RTP.
    var formats: [String]
    /// `i=`, `c=`, `b=` and `k=`, in order.
    var lines: [Line]
    var attributes: [Attribute] = []

    init(kind: String, port: UInt16, transportProtocol: String, formats: [String], lines: [Line] = []) {
        self.kind = kind
        self.port = port
        self.transportProtocol = transportProtocol
        self.formats = formats
        self.lines = lines
    }

    /// `<media> <port>[/<number>] <proto> <fmt> …`; nil for anything else.
    init?(parsing text: String) {
        let fields = text.fields(maxSplits: 3 + Limits.formats)
        guard fields.count >= 4, fields.count <= 3 + Limits.formats else { return nil }
        let ports = fields[1].split(at: UInt8(ascii: "/"), maxSplits: 2)
        guard let port: UInt16 = ports.first?.decimal(), ports.count <= 2 else { return nil }
        self.init(kind: fields[0], port: port, transportProtocol: fields[2], formats: Array(fields[3...]))
        if ports.count == 2 {
            guard let count: UInt16 = ports[1].decimal() else { return nil }
            portCount = count
        }
    }

    var line: Line {
        let ports = portCount.map { "\(port)/\($0)" } ?? "\(port)"
        return Line("m", ([kind, ports, transportProtocol] + formats).joined(separator: " "))
    }
}

extension MediaDescription {
    /// The identification tag (RFC 5888 § 4).
    var mid: String? { attributes.value(of: "mid") }

    /// Port 0 says no, unless the section is only waiting to be bundled (RFC 9143 § 7.3.5).
    var isRejected: Bool { port == 0 && !attributes.has("bundle-only") }

    /// The bandwidth the writer asks us to keep to, in bits per second without headers: `b=TIAS` (RFC 3890), or what
    /// RFC 8829 § 5.10 makes of `b=AS`, which is in kilobits; nil where it sets no bound, as with 0.
    var bandwidth: Int? {
        if let bits = bandwidth("TIAS") { return bits }
        guard let kilobits = bandwidth("AS"), kilobits <= Self.mostKilobits else { return nil }
        return max(1, kilobits * 950 - 50 * 40 * 8)
    }

    /// A terabit: no bound.
    private static let mostKilobits = 1_000_000_000

    private func bandwidth(_ wanted: String) -> Int? {
        for line in lines where line.type == "b" {
            guard let (kind, text) = line.value.halves(at: UInt8(ascii: ":")), kind == wanted else { continue }
            return text.decimal().flatMap { (value: Int) in value > 0 ? value : nil }
        }
        return nil
    }
}
