/// A picture parameter set (ITU-T H.264 § 7.3.2.2).
package struct PictureParameterSet: Hashable, Sendable {
    package var id: Int
    package var sequenceParameterSetID: Int
    /// CABAC, otherwise CAVLC.
    package var isCABAC = false
    /// `bottom_field_pic_order_in_frame_present_flag`.
    package var hasBottomFieldPictureOrder = false
    /// Nil for the usual single one.
    package var sliceGroups: SliceGroups?
    /// `num_ref_idx_l0_default_active_minus1` + 1, and that of list 1.
    package var defaultReferencesL0 = 1
    package var defaultReferencesL1 = 1
    package var hasWeightedPrediction = false
    package var weightedBipredictionIDC: UInt8 = 0
    /// `pic_init_qp_minus26` and `pic_init_qs_minus26`.
    package var initialQPMinus26: Int32 = 0
    package var initialQSMinus26: Int32 = 0
    package var chromaQPOffset: Int32 = 0
    package var hasDeblockingControl = false
    package var hasConstrainedIntraPrediction = false
    package var hasRedundantPictureCount = false
    /// The part that only high profiles have; nil where it isn't coded.
    package var high: HighPart?

    package struct HighPart: Hashable, Sendable {
        package var hasTransform8x8: Bool
        package var scalingLists: [ScalingList]?
        package var secondChromaQPOffset: Int32
    }

    package init(id: Int, sequenceParameterSetID: Int) {
        self.id = id
        self.sequenceParameterSetID = sequenceParameterSetID
    }
}

extension PictureParameterSet {
    /// - Parameters:
    ///   - nalUnit: where it lies in `bytes`, header included.
    ///   - chromaFormatIDC: that of the sequence parameter set with the given id, which the number of scaling lists
    ///     depends on.
    package init(
        _ bytes: [UInt8], nalUnit: Range<Int>, chromaFormatIDC: (Int) -> Int?
    ) throws(H264SyntaxError) {
        guard nalUnit.lowerBound >= 0, nalUnit.upperBound <= bytes.count, !nalUnit.isEmpty else { throw .truncated }
        guard nalUnit.count <= Limits.pictureParameterSetBytes else { throw .outOfRange }
        guard NALUnitType(header: bytes[nalUnit.lowerBound]) == .pictureParameterSet else { throw .wrongType }
        var reader = BitReader(EmulationPrevention.rbsp(bytes, nalUnit, limit: Limits.pictureParameterSetBytes))
        self.init(
            id: try reader.unsigned(upTo: UInt32(Limits.pictureParameterSets - 1)),
            sequenceParameterSetID: try reader.unsigned(upTo: UInt32(Limits.sequenceParameterSets - 1)))
        try read(&reader)
        if reader.hasMoreData {
            high = try HighPart(&reader, chromaFormatIDC: chromaFormatIDC(sequenceParameterSetID))
        }
    }

    private mutating func read(_ reader: inout BitReader) throws(H264SyntaxError) {
        isCABAC = try reader.flag()
        hasBottomFieldPictureOrder = try reader.flag()
        let groups = try reader.unsigned(upTo: 7) + 1
        if groups > 1 { sliceGroups = try SliceGroups(&reader, count: groups) }
        defaultReferencesL0 = try reader.unsigned(upTo: 31) + 1
        defaultReferencesL1 = try reader.unsigned(upTo: 31) + 1
        hasWeightedPrediction = try reader.flag()
        weightedBipredictionIDC = UInt8(try reader.bits(2))
        // −(26 + QpBdOffset) … 25, with up to six more bits of depth.
        initialQPMinus26 = try reader.signed(in: -62...25)
        initialQSMinus26 = try reader.signed(in: -26...25)
        chromaQPOffset = try reader.signed(in: -12...12)
        hasDeblockingControl = try reader.flag()
        hasConstrainedIntraPrediction = try reader.flag()
        hasRedundantPictureCount = try reader.flag()
        // `more_rbsp_data()` asks where the trailing bit is, so its lack must not pass for the end.
        guard reader.position <= reader.trailingBit else { throw .truncated }
    }

    /// The NAL unit, header included.
    package func nalUnit() -> [UInt8] {
        var writer = BitWriter()
        writer.unsigned(id)
        writer.unsigned(sequenceParameterSetID)
        writer.flag(isCABAC)
        writer.flag(hasBottomFieldPictureOrder)
        writer.unsigned((sliceGroups?.count ?? 1) - 1)
        sliceGroups?.write(to: &writer)
        writer.unsigned(defaultReferencesL0 - 1)
        writer.unsigned(defaultReferencesL1 - 1)
        writer.flag(hasWeightedPrediction)
        writer.bits(UInt32(weightedBipredictionIDC), 2)
        writer.signed(initialQPMinus26)
        writer.signed(initialQSMinus26)
        writer.signed(chromaQPOffset)
        writer.flag(hasDeblockingControl)
        writer.flag(hasConstrainedIntraPrediction)
        writer.flag(hasRedundantPictureCount)
        high?.write(to: &writer)
        writer.trailingBits()
        // `nal_ref_idc` may not be 0 for a parameter set (§ 7.4.1).
        return EmulationPrevention.nalUnit(header: 0x60 | NALUnitType.pictureParameterSet.rawValue, rbsp: writer.bytes)
    }
}

extension PictureParameterSet.HighPart {
    fileprivate init(_ reader: inout BitReader, chromaFormatIDC: Int?) throws(H264SyntaxError) {
        hasTransform8x8 = try reader.flag()
        if try reader.flag() {
            guard let chromaFormatIDC else { throw .unknownParameterSet }
            let large = hasTransform8x8 ? (chromaFormatIDC == 3 ? 6 : 2) : 0
            scalingLists = try ScalingList.lists(&reader, count: 6 + large)
        }
        secondChromaQPOffset = try reader.signed(in: -12...12)
    }

    fileprivate func write(to writer: inout BitWriter) {
        writer.flag(hasTransform8x8)
        writer.flag(scalingLists != nil)
        for list in scalingLists ?? [] { list.write(to: &writer) }
        writer.signed(secondChromaQPOffset)
    }
}
