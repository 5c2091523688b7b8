/// A picture parameter set (ITU-T H.264 § 7.3.2.2), as far as slice headers depend on it.
package struct PictureParameterSet: Hashable, Sendable {
    package var id: Int
    package var sequenceParameterSetID: Int
    /// CABAC, otherwise CAVLC.
    package var isCABAC = false
    /// `bottom_field_pic_order_in_frame_present_flag`.
    package var hasBottomFieldPictureOrder = false
    /// More than the usual single one (flexible macroblock ordering).
    package var hasSliceGroups = false
    /// `num_ref_idx_l0_default_active_minus1` + 1, and that of list 1.
    package var defaultReferencesL0 = 1
    package var defaultReferencesL1 = 1
    package var hasWeightedPrediction = false
    package var weightedBipredictionIDC: UInt8 = 0
    package var hasDeblockingControl = false
    package var hasRedundantPictureCount = false

    package init(id: Int, sequenceParameterSetID: Int) {
        self.id = id
        self.sequenceParameterSetID = sequenceParameterSetID
    }
}

extension PictureParameterSet {
    /// The part that only high profiles have is not looked at: no slice header depends on it.
    ///
    /// - Parameter nalUnit: where it lies in `bytes`, header included.
    package init(_ bytes: [UInt8], nalUnit: Range<Int>) throws(H264SyntaxError) {
        guard nalUnit.lowerBound >= 0, nalUnit.upperBound <= bytes.count, !nalUnit.isEmpty else { throw .truncated }
        guard nalUnit.count <= Limits.pictureParameterSetBytes else { throw .outOfRange }
        guard NALUnitType(header: bytes[nalUnit.lowerBound]) == .pictureParameterSet else { throw .wrongType }
        var reader = BitReader(EmulationPrevention.rbsp(bytes, nalUnit, limit: Limits.pictureParameterSetBytes))
        self.init(
            id: try reader.unsigned(upTo: UInt32(Limits.pictureParameterSets - 1)),
            sequenceParameterSetID: try reader.unsigned(upTo: UInt32(Limits.sequenceParameterSets - 1)))
        try read(&reader)
    }

    private mutating func read(_ reader: inout BitReader) throws(H264SyntaxError) {
        isCABAC = try reader.flag()
        hasBottomFieldPictureOrder = try reader.flag()
        let groups = try reader.unsigned(upTo: 7) + 1
        hasSliceGroups = groups > 1
        if hasSliceGroups { try Self.skipSliceGroups(&reader, count: groups) }
        defaultReferencesL0 = try reader.unsigned(upTo: 31) + 1
        defaultReferencesL1 = try reader.unsigned(upTo: 31) + 1
        hasWeightedPrediction = try reader.flag()
        weightedBipredictionIDC = UInt8(try reader.bits(2))
        // pic_init_qp_minus26 is −(26 + QpBdOffset) … 25, with up to six more bits of depth.
        _ = try reader.signed(in: -62...25)
        _ = try reader.signed(in: -26...25)  // pic_init_qs_minus26
        _ = try reader.signed(in: -12...12)  // chroma_qp_index_offset
        hasDeblockingControl = try reader.flag()
        try reader.skip(1)  // constrained_intra_pred_flag
        hasRedundantPictureCount = try reader.flag()
        // What stands behind the trailing bit is no field of a set.
        guard reader.position <= reader.trailingBit else { throw .truncated }
    }

    /// - Parameter count: 2…8 (§ A.2.1, § A.2.3).
    private static func skipSliceGroups(_ reader: inout BitReader, count: Int) throws(H264SyntaxError) {
        switch try reader.unsigned(upTo: 6) {
        case 0:
            for _ in 0..<count { _ = try reader.unsigned() }  // run_length_minus1
        case 1:
            break  // dispersed by a formula
        case 2:
            for _ in 0..<2 * (count - 1) { _ = try reader.unsigned() }  // top_left, bottom_right
        case 6:
            let units = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerPicture - 1)) + 1
            // Ceil(Log2(count)) bits for each map unit.
            try reader.skip(units * (Int.bitWidth - (count - 1).leadingZeroBitCount))
        default:
            try reader.skip(1)  // slice_group_change_direction_flag
            _ = try reader.unsigned()  // slice_group_change_rate_minus1
        }
    }

    /// The NAL unit, header included: of a set with a single slice group, and nothing said of quantisers.
    package func nalUnit() -> [UInt8] {
        var writer = BitWriter()
        writer.unsigned(id)
        writer.unsigned(sequenceParameterSetID)
        writer.flag(isCABAC)
        writer.flag(hasBottomFieldPictureOrder)
        writer.unsigned(0)  // num_slice_groups_minus1
        writer.unsigned(defaultReferencesL0 - 1)
        writer.unsigned(defaultReferencesL1 - 1)
        writer.flag(hasWeightedPrediction)
        writer.bits(UInt32(weightedBipredictionIDC), 2)
        for _ in 0..<3 { writer.signed(0) }  // pic_init_qp_minus26, pic_init_qs_minus26, chroma_qp_index_offset
        writer.flag(hasDeblockingControl)
        writer.flag(false)  // constrained_intra_pred_flag
        writer.flag(hasRedundantPictureCount)
        writer.trailingBits()
        // `nal_ref_idc` may not be 0 for a parameter set (§ 7.4.1).
        return EmulationPrevention.nalUnit(header: 0x60 | NALUnitType.pictureParameterSet.rawValue, rbsp: writer.bytes)
    }
}
