/// Why no picture can be repeated by a skip slice.
package enum SkipSliceError: Error, Hashable, Sendable {
    /// No picture has been seen yet.
    case noPicture
    /// The last picture is not the newest short-term reference: the slice would show another one.
    case notAReference
    /// The stream's syntax: fields, picture order count type 1, separate colour planes, or no references at all.
    case unsupportedStream
}

/// A picture that repeats the last reference picture and is itself no reference: one P slice whose macroblocks are
/// all skipped (ITU-T H.264 § 7.3.3, § 7.3.4), a few bytes that no encoder has to make.
///
/// Skipped macroblocks predict from entry 0 of list 0, which is the reference decoded last (§ 8.2.4.2.1), with a motion
/// vector of zero throughout, because the first one has no neighbours (§ 8.4.1.1); without residual and with equal
/// motion nothing is deblocked (§ 8.7.2.1). The copy is exact.
///
/// It is coded in CAVLC. Where the stream's own parameter set says CABAC, or has slice groups, the slice brings a
/// parameter set with an id of its own.
package struct SkipSlice: Sendable {
    private let sequence: SequenceParameterSet
    private let picture: PictureParameterSet
    /// The NAL unit that has to precede the slice; nil where the stream's own parameter set serves.
    package let pictureParameterSet: [UInt8]?

    /// - Parameters:
    ///   - picture: the parameter set of the picture that is repeated.
    ///   - ownID: an id that no picture parameter set of the stream has.
    package init(
        sequence: SequenceParameterSet, picture: PictureParameterSet, ownID: Int
    ) throws(SkipSliceError) {
        guard sequence.frameMacroblocksOnly, !sequence.hasSeparateColourPlanes, sequence.maxReferenceFrames > 0 else {
            throw .unsupportedStream
        }
        if case .type1 = sequence.pictureOrderCount { throw .unsupportedStream }
        self.sequence = sequence
        if picture.isCABAC || picture.hasSliceGroups {
            self.picture = Self.ownParameterSet(id: ownID, sequenceID: sequence.id)
            pictureParameterSet = self.picture.nalUnit()
        } else {
            self.picture = picture
            pictureParameterSet = nil
        }
    }

    private static func ownParameterSet(id: Int, sequenceID: Int) -> PictureParameterSet {
        var own = PictureParameterSet(id: id, sequenceParameterSetID: sequenceID)
        own.hasDeblockingControl = true
        return own
    }

    /// The slice's NAL unit, repeating the picture that `last` is a slice of.
    package func nalUnit(repeating last: SliceHeader) -> [UInt8] {
        var writer = BitWriter()
        writer.unsigned(0)  // first_mb_in_slice
        writer.unsigned(SliceHeader.Kind.p.rawValue)
        writer.unsigned(picture.id)
        // One more than the preceding reference picture's (§ 7.4.3).
        writer.bits(UInt32((last.frameNum + 1) % sequence.maxFrameNum), sequence.log2MaxFrameNum)
        writePictureOrder(after: last, to: &writer)
        if picture.hasRedundantPictureCount { writer.unsigned(0) }
        let overrides = picture.defaultReferencesL0 != 1
        writer.flag(overrides)  // num_ref_idx_active_override_flag
        if overrides { writer.unsigned(0) }  // num_ref_idx_l0_active_minus1
        writer.flag(false)  // ref_pic_list_modification_flag_l0
        if picture.hasWeightedPrediction { writeWeights(to: &writer) }
        // No dec_ref_pic_marking with nal_ref_idc 0; no cabac_init_idc with CAVLC.
        writer.signed(0)  // slice_qp_delta
        if picture.hasDeblockingControl { writer.unsigned(1) }  // disable_deblocking_filter_idc: off
        writer.unsigned(sequence.widthInMacroblocks * sequence.heightInMacroblocks)  // mb_skip_run
        writer.trailingBits()
        return EmulationPrevention.nalUnit(header: NALUnitType.nonIDRSlice.rawValue, rbsp: writer.bytes)
    }

    /// With type 2 the order follows from `frame_num` (§ 8.2.1.3); strictly that allows one such picture between two
    /// references. With type 0 the picture stands right behind the last one, half a step before the next; several in a
    /// row share that place.
    private func writePictureOrder(after last: SliceHeader, to writer: inout BitWriter) {
        guard case .type0(let log2MaxLsb) = sequence.pictureOrderCount else { return }
        let next = last.pictureOrderLsb.map { ($0 + 1) % (1 << log2MaxLsb) } ?? 0
        writer.bits(UInt32(next), log2MaxLsb)
        if picture.hasBottomFieldPictureOrder { writer.signed(0) }  // delta_pic_order_cnt_bottom
    }

    /// `pred_weight_table()` that gives no reference a weight (§ 7.3.3.2): a default weight is 1 at denominator 0.
    private func writeWeights(to writer: inout BitWriter) {
        writer.unsigned(0)  // luma_log2_weight_denom
        if sequence.chromaArrayType != 0 { writer.unsigned(0) }  // chroma_log2_weight_denom
        writer.flag(false)  // luma_weight_l0_flag
        if sequence.chromaArrayType != 0 { writer.flag(false) }  // chroma_weight_l0_flag
    }
}
