/// `a=ecn-capable-rtp` (RFC 6679 § 6.1): how ECN is to be tried, and what the peer can do with them.
package struct ECNCapability: Hashable, Sendable {
    package enum Mode: String, Sendable {
        case setOnly = "setonly"
        case setAndRead = "setread"
        case readOnly = "readonly"
    }

    /// What a receiver wants packets to carry.
    package enum Preference: String, Sendable {
        /// ECT(0).
        case zero = "0"
        /// ECT(1).
        case one = "1"
        case random
    }

    /// Ways to begin, the preferred first; unknown ones among them.
    package var methods: [String]
    package var mode: Mode
    package var preference: Preference

    /// The only way of ours: a part of the packets has ECT, until feedback tells that it gets through (§ 7.2.1).
    static let rtp = "rtp"

    package init(methods: [String] = [rtp], mode: Mode = .setAndRead, preference: Preference = .zero) {
        self.methods = methods
        self.mode = mode
        self.preference = preference
    }

    /// `<method>[,<method>…] [<name>=<value>; …]`; nil where a known parameter has an unknown value.
    init?(parsing text: String) {
        let parts = text.fields(maxSplits: 1)
        guard let list = parts.first else { return nil }
        self.init(methods: list.split(at: UInt8(ascii: ",")))
        guard parts.count == 2 else { return }
        for parameter in parts[1].split(at: UInt8(ascii: ";")) {
            switch parameter.trimmed.halves(at: UInt8(ascii: "=")) {
            case ("mode", let value)?:
                guard let mode = Mode(rawValue: value) else { return nil }
                self.mode = mode
            case ("ect", let value)?:
                guard let preference = Preference(rawValue: value) else { return nil }
                self.preference = preference
            default: continue
            }
        }
    }

    /// Whether the peer takes our way, and reads what packets came with.
    var isServable: Bool { methods.contains(Self.rtp) && mode != .setOnly }

    /// With the space that the grammar has behind the colon.
    var attribute: Attribute {
        Attribute(
            Self.name, " \(methods.joined(separator: ",")) mode=\(mode.rawValue); ect=\(preference.rawValue)")
    }

    fileprivate static let name = "ecn-capable-rtp"
}

extension MediaDescription {
    /// Nil where packets must have no ECT.
    var ecnCapability: ECNCapability? {
        attributes.value(of: ECNCapability.name).flatMap(ECNCapability.init(parsing:))
    }
}
