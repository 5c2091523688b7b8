/// What of `a=rtcp-fb` (RFC 4585 § 4.2, RFC 5104 § 7.1) means something to us.
package struct Feedback: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Generic NACK: lost packets are asked for.
    package static let nack = Feedback(rawValue: 1)
    /// Picture loss indication.
    package static let pli = Feedback(rawValue: 2)
    /// Full intra request.
    package static let fir = Feedback(rawValue: 4)
    /// Receiver's estimate of the bandwidth, in one number.
    package static let remb = Feedback(rawValue: 8)
    /// Arrival times of all packets of the transport.
    package static let transportCC = Feedback(rawValue: 16)
    /// The same, stream by stream (RFC 8888 § 6).
    package static let ccfb = Feedback(rawValue: 32)
    /// What packets came with of ECN (RFC 6679 § 6.2).
    package static let ecn = Feedback(rawValue: 64)

    /// In the order in which we write them.
    private static let names: [(Feedback, String)] = [
        (.remb, "goog-remb"), (.transportCC, "transport-cc"), (.fir, "ccm fir"), (.nack, "nack"), (.pli, "nack pli"),
        (.ecn, "nack ecn"), (.ccfb, "ack ccfb"),
    ]

    /// Nothing for a message we don't know.
    init(parsing text: String) {
        self = Self.names.first { $0.1 == text.trimmed }?.0 ?? []
    }

    var texts: [String] { Self.names.filter { contains($0.0) }.map(\.1) }
}
