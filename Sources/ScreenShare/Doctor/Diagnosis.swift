/// What ``Doctor`` has found, each finding by itself.
public struct Diagnosis: Sendable, Encodable {
    /// In the order in which a person reads them: the machine, its network, the way out.
    public let findings: [Finding]

    /// Whether everything that was asked for, or that a share can't do without, works.
    public var canShare: Bool { !findings.contains { $0.verdict == .failure } }

    private enum CodingKeys: CodingKey { case canShare, findings }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(canShare, forKey: .canShare)
        try container.encode(findings, forKey: .findings)
    }
}

/// One thing that was looked at.
public struct Finding: Hashable, Sendable, Encodable {
    /// What was looked at.
    public enum Check: String, Sendable, Encodable, CaseIterable {
        case display, sound, addresses, udpPort, signalingPort, signaling, rate, stun, turn, nat
    }

    public enum Verdict: String, Sendable, Encodable {
        case ok
        /// A share works, but not for everybody, or not as well as it could.
        case warning = "warn"
        /// A share does not start, or reaches nobody.
        case failure = "fail"
    }

    /// A figure behind the words, for programs.
    public enum Value: Hashable, Sendable, Encodable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([String])

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

    public let check: Check
    public let verdict: Verdict
    /// What was found, in words.
    public let found: String
    /// What to do about it, where there is something to be done.
    public let advice: String?
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
