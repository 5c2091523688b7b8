/// The profiles that matter to us, as RFC 6184 § 8.1 (table 5) tells them from the first two bytes.
package enum H264Profile: Hashable, Sendable {
    case constrainedBaseline
    case baseline
    case main
    case constrainedHigh
    case high
    /// Extended, 4:4:4 and others: not for us.
    case other
}

/// `profile-level-id`: the first three bytes of a sequence parameter set (RFC 6184 § 8.1).
package struct H264ProfileLevel: Hashable, Sendable {
    /// `profile_idc`.
    var profileIDC: UInt8
    /// `constraint_set0_flag` in the highest bit, and so on.
    var constraints: UInt8
    /// `level_idc`: ten times the level.
    var levelIDC: UInt8

    init(profileIDC: UInt8, constraints: UInt8, levelIDC: UInt8) {
        self.profileIDC = profileIDC
        self.constraints = constraints
        self.levelIDC = levelIDC
    }

    /// What a format without the parameter means: Baseline, level 1 (RFC 6184 § 8.1).
    static let whenAbsent = H264ProfileLevel(profileIDC: 0x42, constraints: 0x00, levelIDC: 0x0A)

    /// Exactly six hexadecimal digits.
    init?(parsing text: String) {
        let digits = Array(text.utf8)
        let values = digits.compactMap(\.hexDigit)
        guard digits.count == 6, values.count == 6 else { return nil }
        self.init(
            profileIDC: values[0] << 4 | values[1], constraints: values[2] << 4 | values[3],
            levelIDC: values[4] << 4 | values[5])
    }

    var text: String {
        [profileIDC, constraints, levelIDC].map { $0.hex(uppercase: false) }.joined()
    }

    var profile: H264Profile {
        switch (profileIDC, constraints) {
        case (0x42, let flags) where flags & 0b0100_1111 == 0b0100_0000: .constrainedBaseline
        case (0x4D, let flags) where flags & 0b1000_1111 == 0b1000_0000: .constrainedBaseline
        case (0x58, let flags) where flags & 0b1100_1111 == 0b1100_0000: .constrainedBaseline
        case (0x42, let flags) where flags & 0b0100_1111 == 0: .baseline
        case (0x4D, let flags) where flags & 0b1010_1111 == 0: .main
        case (0x64, 0b0000_0000): .high
        case (0x64, 0b0000_1100): .constrainedHigh
        default: .other
        }
    }

    /// The same profile at another level.
    func at(levelIDC: UInt8) -> H264ProfileLevel {
        H264ProfileLevel(profileIDC: profileIDC, constraints: constraints, levelIDC: levelIDC)
    }
}
