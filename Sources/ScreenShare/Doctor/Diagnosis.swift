/// What ``Doctor`` has found, each finding by itself.
public struct Diagnosis: Sendable, Encodable {
    /// In the order in which a person reads them: the machine, its network, the way out.
    public let findings: [Finding]

    /// Whether everything that was asked for, or that a share can't do without, works.
    public var canShare: Bool { !findings.contains { $0.verdict == .failure } }

    private enum CodingKeys: CodingKey { case canShare, findings }

    /// With `canShare`, for programs that know no verdicts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(canShare, forKey: .canShare)
        try container.encode(findings, forKey: .findings)
    }
}

/// One thing that was looked at.
public struct Finding: Hashable, Sendable, Encodable {
    /// What was looked at.
    @nonexhaustive public enum Check: String, Sendable, Encodable, CaseIterable {
        /// The X display.
        case display
        /// A sound device.
        case sound
        /// This machine's addresses.
        case addresses
        /// The port of media.
        case udpPort
        /// The port of the built-in signaling server.
        case signalingPort
        /// The signaling server.
        case signaling
        /// How much the way to the signaling server takes.
        case rate
        /// A STUN server.
        case stun
        /// A TURN server.
        case turn
        /// A socket's NAT (RFC 4787 § 4.1).
        case nat
    }

    /// How a share would fare with what was found.
    public enum Verdict: String, Sendable, Encodable {
        /// Nothing has to be done.
        case ok
        /// A share works, but not for everybody, or not as well as it could.
        case warning = "warn"
        /// A share does not start, reaches nobody, or is without sound that was asked for.
        case failure = "fail"
    }

    /// A figure behind the words, for programs.
    @nonexhaustive public enum Value: Hashable, Sendable, Encodable {
        /// A name, an address, a URL.
        case text(String)
        /// In the unit that its key ends with (`roundTripMs`, `upBytes`); otherwise pixels, Hz, bits or a plain number.
        case number(Double)
        /// Whether it is so.
        case flag(Bool)
        /// Several of the same, such as addresses.
        case list([String])

        /// As the bare JSON value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            case .list(let texts): try container.encode(texts)
            }
        }
    }

    /// Several findings may have the same: one for each sound device, server or NAT.
    public let check: Check
    /// One `.failure` makes `Diagnosis.canShare` false.
    public let verdict: Verdict
    /// What was found, in words.
    public let found: String
    /// What to do about it, where there is something to be done: in the words of the command, whose options
    /// ``DoctorConfiguration`` has by name. For words of one's own there are `check` and `values`.
    public let advice: String?
    /// The figures behind `found`, by names in camel case.
    public let values: [String: Value]

    private enum CodingKeys: CodingKey { case check, verdict, found, advice, values }

    /// Without what there is not.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(check, forKey: .check)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(found, forKey: .found)
        try container.encodeIfPresent(advice, forKey: .advice)
        if !values.isEmpty { try container.encode(values, forKey: .values) }
    }

    init(
        _ check: Check, _ verdict: Verdict, _ found: String, advice: String? = nil, values: [String: Value] = [:]
    ) {
        self.check = check
        self.verdict = verdict
        self.found = found
        self.advice = advice
        self.values = values
    }
}

extension Finding.Value {
    init(_ number: Int) { self = .number(Double(number)) }
    /// In milliseconds, to the hundredth.
    init(_ time: Duration) { self = .number((time / .microseconds(10)).rounded() / 100) }
}
