/// `nal_unit_type` (ITU-T H.264 table 7-1) and the payload structures of RFC 6184 table 1, as the header byte has it.
package struct NALUnitType: RawRepresentable, Hashable, Sendable {
    /// 5 bits.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue & 0x1f
    }

    package init(header: UInt8) {
        rawValue = header & 0x1f
    }

    package static let nonIDRSlice = NALUnitType(rawValue: 1)
    package static let partitionA = NALUnitType(rawValue: 2)
    package static let idrSlice = NALUnitType(rawValue: 5)
    package static let supplementalInformation = NALUnitType(rawValue: 6)
    package static let sequenceParameterSet = NALUnitType(rawValue: 7)
    package static let pictureParameterSet = NALUnitType(rawValue: 8)
    package static let accessUnitDelimiter = NALUnitType(rawValue: 9)
    package static let sequenceParameterSetExtension = NALUnitType(rawValue: 13)
    package static let stapA = NALUnitType(rawValue: 24)
    package static let stapB = NALUnitType(rawValue: 25)
    package static let mtap16 = NALUnitType(rawValue: 26)
    package static let mtap24 = NALUnitType(rawValue: 27)
    package static let fuA = NALUnitType(rawValue: 28)
    package static let fuB = NALUnitType(rawValue: 29)

    /// Coded slices and data partitions.
    package var isPicture: Bool { (1...5).contains(rawValue) }

    var isParameterSet: Bool {
        self == .sequenceParameterSet || self == .sequenceParameterSetExtension || self == .pictureParameterSet
    }

    /// A slice whose header begins with `first_mb_in_slice`: a whole one, or partition A of one.
    package var hasSliceHeader: Bool { self == .nonIDRSlice || self == .partitionA || self == .idrSlice }

    /// What may stand as a NAL unit of its own in a payload (RFC 6184 § 5.2).
    var isSingleNALUnit: Bool { (1...23).contains(rawValue) }

    /// What a receiver must ignore, wherever it stands (RFC 6184 § 5.4, "ig").
    var isIgnored: Bool { rawValue == 0 || rawValue > 29 }
}

/// The first byte of a NAL unit (ITU-T H.264 § 7.3.1).
enum NALUnitHeader {
    static let forbiddenBit: UInt8 = 0x80
    /// `nal_ref_idc`, in place.
    static let referenceBits: UInt8 = 0x60
    static let typeBits: UInt8 = 0x1f
}
