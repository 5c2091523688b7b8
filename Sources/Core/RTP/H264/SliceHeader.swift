/// The beginning of a slice header (ITU-T H.264 § 7.3.3): which picture the slice belongs to, and what becomes of it.
package struct SliceHeader: Hashable, Sendable {
    /// `slice_type` modulo 5 (table 7-6).
    package enum Kind: Int, Hashable, Sendable {
        case p = 0
        case b = 1
        case i = 2
        case sp = 3
        case si = 4
    }

    package var nalReferenceIDC: UInt8
    package var isIDR: Bool
    package var kind: Kind
    package var pictureParameterSetID: Int
    package var frameNum: Int
    package var isField: Bool
    /// `pic_order_cnt_lsb`; nil where the order is not told so (`pic_order_cnt_type` 1, 2).
    package var pictureOrderLsb: Int?
    package var marking = ReferenceMarking()

    package var isReference: Bool { nalReferenceIDC != 0 }

    /// - Parameter nalUnit: of type 1, 2 or 5, header included.
    package init(_ bytes: [UInt8], nalUnit: Range<Int>, sets: ParameterSets) throws(H264SyntaxError) {
        guard !nalUnit.isEmpty, nalUnit.lowerBound >= 0, nalUnit.upperBound <= bytes.count else { throw .truncated }
        let header = bytes[nalUnit.lowerBound]
        guard NALUnitType(header: header).hasSliceHeader else { throw .wrongType }
        nalReferenceIDC = (header & NALUnitHeader.referenceBits) >> 5
        isIDR = NALUnitType(header: header) == .idrSlice
        var reader = BitReader(EmulationPrevention.rbsp(bytes, nalUnit, limit: Limits.sliceHeaderBytes))
        _ = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerPicture - 1))  // first_mb_in_slice
        guard let kind = Kind(rawValue: try reader.unsigned(upTo: 9) % 5) else { throw .outOfRange }
        self.kind = kind
        pictureParameterSetID = try reader.unsigned(upTo: UInt32(Limits.pictureParameterSets - 1))
        guard let (sequence, picture) = sets.active(pictureParameterSet: pictureParameterSetID) else {
            throw .unknownParameterSet
        }
        if sequence.hasSeparateColourPlanes { _ = try reader.bits(2) }
        frameNum = Int(try reader.bits(sequence.log2MaxFrameNum))
        isField = sequence.frameMacroblocksOnly ? false : try reader.flag()
        if isField { try reader.skip(1) }  // bottom_field_flag
        if isIDR { _ = try reader.unsigned(upTo: 65535) }  // idr_pic_id (§ 7.4.3)
        pictureOrderLsb = try Self.pictureOrderLsb(
            &reader, sequence.pictureOrderCount, hasBottom: picture.hasBottomFieldPictureOrder && !isField)
        if isReference { marking = try ReferenceMarking(&reader, self, sequence, picture) }
    }
}

extension SliceHeader {
    /// Reads what the slice says about the picture's order: `pic_order_cnt_lsb`, but for type 0 nil.
    private static func pictureOrderLsb(
        _ reader: inout BitReader, _ type: SequenceParameterSet.PictureOrderCount, hasBottom: Bool
    ) throws(H264SyntaxError) -> Int? {
        switch type {
        case .type0(let log2MaxLsb):
            let lsb = Int(try reader.bits(log2MaxLsb))
            if hasBottom { _ = try reader.signed() }  // delta_pic_order_cnt_bottom
            return lsb
        case .type1(let deltaAlwaysZero):
            // delta_pic_order_cnt
            if !deltaAlwaysZero { for _ in 0..<(hasBottom ? 2 : 1) { _ = try reader.signed() } }
            return nil
        case .type2:
            return nil
        }
    }
}
