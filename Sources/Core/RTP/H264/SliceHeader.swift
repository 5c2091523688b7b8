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

    /// What the slice says about the picture's order, by `pic_order_cnt_type`.
    package enum PictureOrder: Hashable, Sendable {
        case type0(lsb: Int, deltaBottom: Int32)
        case type1(delta0: Int32, delta1: Int32)
        case type2
    }

    package var nalReferenceIDC: UInt8
    package var isIDR: Bool
    package var firstMacroblock: Int
    package var kind: Kind
    package var pictureParameterSetID: Int
    package var frameNum: Int
    package var isField: Bool
    package var isBottomField: Bool
    /// `idr_pic_id`; nil but for IDR pictures.
    package var idrPictureID: Int?
    package var pictureOrder: PictureOrder
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
        firstMacroblock = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerPicture - 1))
        guard let kind = Kind(rawValue: try reader.unsigned(upTo: 9) % 5) else { throw .outOfRange }
        self.kind = kind
        pictureParameterSetID = try reader.unsigned(upTo: UInt32(Limits.pictureParameterSets - 1))
        guard let (sequence, picture) = sets.active(pictureParameterSet: pictureParameterSetID) else {
            throw .unknownParameterSet
        }
        if sequence.hasSeparateColourPlanes { _ = try reader.bits(2) }
        frameNum = Int(try reader.bits(sequence.log2MaxFrameNum))
        isField = sequence.frameMacroblocksOnly ? false : try reader.flag()
        isBottomField = isField ? try reader.flag() : false
        // idr_pic_id is 0…65535 (§ 7.4.3).
        idrPictureID = isIDR ? try reader.unsigned(upTo: 65535) : nil
        pictureOrder = try PictureOrder(
            &reader, sequence.pictureOrderCount, hasBottom: picture.hasBottomFieldPictureOrder && !isField)
        if isReference { marking = try ReferenceMarking(&reader, self, sequence, picture) }
    }
}

extension SliceHeader.PictureOrder {
    fileprivate init(
        _ reader: inout BitReader, _ type: SequenceParameterSet.PictureOrderCount, hasBottom: Bool
    ) throws(H264SyntaxError) {
        switch type {
        case .type0(let log2MaxLsb):
            self = .type0(
                lsb: Int(try reader.bits(log2MaxLsb)), deltaBottom: hasBottom ? try reader.signed() : 0)
        case .type1(let deltaAlwaysZero, _, _, _):
            if deltaAlwaysZero {
                self = .type1(delta0: 0, delta1: 0)
            } else {
                self = .type1(delta0: try reader.signed(), delta1: hasBottom ? try reader.signed() : 0)
            }
        case .type2:
            self = .type2
        }
    }
}
